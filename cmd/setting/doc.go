// Package setting reads the settings of a program with commands: each is a tagged field of a
// struct, and may come from a flag, the environment or a file; a list of objects from a file alone.
// It knows no single setting: a program declares its own, and New makes a Set of them.
//
// A field with a tag is a setting, a struct with a tag is a group of them. Tags:
//
//	key      its name; without it, the field's in small letters
//	default  its value if none is given; without it, what the field has
//	for      the commands that have it as a flag; of a group: of all in it (see NameAs)
//	range    an interval of numbers or time spans, as [1,10] or (0,1] or [0,) or [1m,24h]
//	oneof    names, as "hour, day"
//	want     what messages ask for, where range or names do not tell it well
//	names    what a shell offers, where oneof does not say it: the program checks the names itself
//	path     what of the disk a shell offers: "directory", "any", or endings as "yaml yml"
//	unit     of a text that begins with a number: what stands behind it, as "d"; "none": nothing
//	secret   anything: the value is not shown
//	help     what --help says of it
//
// A key names a setting in the file, behind the key of its group ("eval.weeks"). Its flag has no
// group ("--weeks" of the command eval). Its variable in the environment is the whole key in
// capitals behind a prefix ("RECRAWL_EVAL_WEEKS"). Ranges and names of a list hold for each value.
//
// # Guarantees
//
//  1. A flag overrules the environment, that overrules the file, that overrules the default.
//  2. A value of a file has the kind of its setting: a time span has a unit, a key has a value and
//     is there once (package written). Neither ~ nor ${NAME} is replaced: both are refused.
//  3. Keys and variables that set nothing are refused, with the nearest that would.
//  4. All settings are read and checked for each command, also those that it has no flag for. All
//     errors are reported at once, by the flag where one was given, else by the key, with the value
//     and what is allowed.
//
// A Review also has all values with where they come from, and writes a file of settings to begin
// with. What settings mean together the program decides. It adds what it refuses to the Review.
package setting
