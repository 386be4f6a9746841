package core

// initText is the beginning of a file of settings that recrawl init writes, a line a paragraph.
const initText = "Settings of recrawl run. A line that begins with # and no blank is a setting at " +
	"its default: " +
	"remove the # to change it. A flag overrules an environment variable (RECRAWL_BUDGET), that " +
	"overrules " +
	"this file. Keys that are no settings are refused. recrawl config shows what holds, and " +
	"where it comes from.\n" +
	"\nThe first two must be given."

// seedsText is the list of start pages that recrawl init --for archive writes.
const seedsText = `# The pages to keep, an address a line, and behind it how far from it pages count:
#   page        this page alone
#   directory   and all whose address begins with its directory
#   server      all that links lead to on its server; so it is where nothing is said
#   hops 2      what two links in a row lead to on its server
# https://example.org/            server
# https://example.org/news/2026/  directory
# https://example.org/about       page
`
