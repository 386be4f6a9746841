// Package rules says what of a page counts as its content, where the user does: parts to watch and
// to ignore, by the beginning of the address. Package extract applies them.
//
// # Terms
//
//	rule      what counts on the pages whose address fits its prefix
//	left      what a rule leaves of a page: the text whose difference is a change
//	part      what a rule begins with: visible text, main text or bytes
//	line      a block of text, as a paragraph or an item of a list; of bytes and JSON, a line
//	shingle   three words in a row
//
// A rule leaves lines in this order: elements that are ignored go, of the others those that are
// watched stay; then in each line what is ignored goes; of the lines those stay that are watched.
// Of JSON it leaves the members that are watched and not ignored, one to a line, by name.
//
// # Guarantees
//
//  1. A Set and its Rules do not change, and are for concurrent use. Applying one depends on its
//     arguments alone and never fails: what cannot be applied is told, and leaves more, not less.
//  2. Of several rules the one with the most characters that are not "*" holds, and it alone.
//  3. Elements are found in a time that is linear in the elements times the selectors. Selectors
//     that look at all siblings or below (:nth-child, :has) are left out on a page where they take
//     more than 50 million steps.
//  4. Expressions are RE2 and take 1 << 29 steps a page at most, a step being an instruction for
//     an octet; what is behind that is not looked at.
//  5. JSON has at most 1 MB, 100,000 values and 64 levels. Larger documents count as they are.
//  6. Two rules that say the same have one fingerprint, whatever their prefixes; what is left is
//     compared under one fingerprint only (sitegraph.RuledDigest).
//
// The fingerprint is the start of the SHA-256 of what a rule says, with a version of this package.
// Whoever changes what a rule leaves must raise the version, so that no page counts as changed.
//
// SimHash: 64 bits, of each of which the sign of a sum: over the shingles of what is left, +1 where
// the bit of the shingle's hash is 1 and -1 where it is 0. The hash is the start of the MD5 of the
// three words, in small letters, with a blank between. Of fewer than three words they are the one
// shingle. A word is a run of letters and digits.
//
// Not done here: pages are read and links found by package extract; what a change is worth is not
// a matter of rules.
//
// Sources: Selectors Level 4; RFC 9535 (JSONPath); Charikar 2002, Manku, Jain, Das Sarma 2007
// (SimHash).
package rules
