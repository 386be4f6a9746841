// Package written reads files that users write: settings, rules, filters. A value has its obvious
// meaning, or the file is refused.
//
// # Guarantees
//
//  1. A time span has a unit, unless it is 0: 3 is refused instead of read as 3s.
//  2. A value has the kind of its key: a number is no text, a text is no list, 2.7 is no whole
//     number, yes is not true. A number may be in quotes, and a single text may replace a list. A
//     share may be in per cent: 2 % is 0.02.
//  3. A key without a value is refused, also if its value is a comment for YAML because it begins
//     with #. So are duplicate and unknown keys.
//  4. An error names line, key, and what to write instead. All errors are reported together.
//
// Callers check the meanings of values.
package written
