package show

// Help says to users how a page is shown.
const Help = `show page reads a page and prints title, language, main text, digests and links. With --rules it
prints what the rule for the address ignores and watches, how often each expression holds, and the
text that is left: a difference there is a change. With --languages and --filters it prints what
each filter says of the page.

A URL is asked for as run does: robots.txt, --delay and the guard hold, and --user-agent must name a
contact. A file is read as the page of --url; one whose name ends in .json as JSON.`

// Examples are calls of it.
const Examples = `  recrawl show page page.html --url https://example.org/news/ --rules rules.yaml
  recrawl show page https://example.org/news/ --rules rules.yaml --user-agent "mybot/1.0 (ops@example.org)"`
