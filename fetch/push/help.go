package push

// Help says to users how a run is told of changes.
const Help = `hint asks the run that listens at --push to visit pages at once: before all others, as soon as
robots.txt, the pause of the server and the budget allow. Addresses that the run does not know become
known; one of a server that it does not know becomes a start page. Such visits take at most half of a
round's budget.

Owners of servers that the run knows do the same by IndexNow (POST http://ADDRESS/indexnow), for
their own pages.`

// Examples are calls of it.
const Examples = "  recrawl hint --push 127.0.0.1:8090 https://example.com/news/"
