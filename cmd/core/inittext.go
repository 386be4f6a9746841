package core

// initText is the start of the file of settings that recrawl init writes, a line a paragraph.
const initText = "Settings of recrawl run. A line that begins with # and no blank is a setting at " +
	"its default: remove the # to change it. A flag overrules an environment variable " +
	"(RECRAWL_BUDGET), which overrules this file. recrawl refuses unknown keys. recrawl config " +
	"shows the values in force, and where they come from.\n" +
	"\nThe first two must be given."

// seedsText is the list of start pages that recrawl init --for archive writes.
const seedsText = `# The pages to keep, a URL a line with its scope:
#   page        this page alone
#   directory   and all pages whose URL begins with its directory
#   server      all pages on its server that links lead to; the default
#   hops 2      pages on its server that two links in a row lead to
# https://example.org/            server
# https://example.org/news/2026/  directory
# https://example.org/about       page
`
