# Prints the lines of Go code that are wider than 100 columns. A tab counts as four columns, and
# blanks that align code count as one. Three kinds of lines may be wider: those with a literal or a
# struct tag of 50 characters or more, those inside a raw literal of several lines, and comments that
# are addresses, code or tables.
FNR == 1 { raw = 0 }
{
	line = $0
	gsub(/\t/, "    ", line)
	gsub(/[\200-\277]/, "", line) # a character of several bytes counts as one
	within = raw
	rest = line
	sub(/[ ]\/\/ .*/, "", rest)
	gsub(/"([^"\\]|\\.)*"|'`'/, "", rest)
	if (gsub(/`/, "", rest) % 2) raw = !raw
	if (length(line) <= 100 || within || raw) next
	lead = line
	sub(/[^ ].*/, "", lead)
	sub(/^ */, "", line)
	if (line !~ /^\/\//) gsub(/  +/, " ", line)
	line = lead line
	if (length(line) <= 100) next
	if (line ~ /^ *\/\// && line ~ /https?:|\/\/    |Output|go:/) next
	for (rest = line; match(rest, /"([^"\\]|\\.)*"|`[^`]*`/); rest = substr(rest, RSTART + RLENGTH))
		if (RLENGTH >= 50) next
	print FILENAME ":" FNR ": " length(line)
}
