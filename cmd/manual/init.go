package manual

// Init is the beginning of a file of settings that recrawl init writes, a line a paragraph.
const Init = "Settings of recrawl run. A line that begins with # and no blank is a setting at " +
	"its default: " +
	"remove the # to change it. A flag overrules an environment variable (RECRAWL_BUDGET), that " +
	"overrules " +
	"this file. Keys that are no settings are refused. recrawl config shows what holds, and " +
	"where it comes from.\n" +
	"\nThe first two must be given."
