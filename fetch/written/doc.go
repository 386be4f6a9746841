// Package written reads files that users write: settings, rules, filters. A value means what it
// says, or the file is refused.
//
// # Guarantees
//
//  1. A time span has a unit, unless it is 0: 3 is refused, where 3s is meant.
//  2. A value has the kind that is wanted: a number is no text, a text is no list, 2.7 is no whole
//     number, yes is not true. A number may stand in quotes, and a list of one text be a text.
//     A share may be in per cent: 2 % is 0.02.
//  3. A key without a value is refused, also where it only seems to have one: YAML takes what
//     begins with # for a comment. So is a key that is there twice, or that nobody reads.
//  4. An error says line, key, and what to write instead. All that is wrong is told at once.
//
// It does not know what values mean: who reads a file checks that.
package written
