// Package watch tells people what visits found: rules say of which pages, what, and to whom.
//
// # Terms
//
//	rule     pages (an address, or all that begin so), what of them counts, what is told to whom
//	text     what a rule leaves of a page (extract.Rules): its main text, if it says nothing
//	copy     the text of the last visit that saw another one, as it is kept in the store
//	event    something that a rule tells of one page: changed, gone, new, ...
//	batch    events of one rule and server that wait to be told together
//	message  a batch as it is told; it waits in the outbox until each of its targets has it
//	target   to whom: a webhook or a program (OpenSenders)
//
// # Guarantees
//
//  1. The first visit that sees a page under a rule tells nothing: its text is what later ones are
//     compared with. So is the first after the rule was changed. A page is new if a page, feed or
//     sitemap that was visited before names it, and did not name it then.
//  2. A change is told if, and only if, the text of the rule differs from the copy. What differs is
//     told word by word, and what of it had no room is counted.
//  3. Copies, events and messages are kept by the commit that keeps the visit (Keep): a crash loses
//     none that was acknowledged, and leaves none of a visit that was not.
//  4. A message is delivered at least once to each target. Its ID is the same each time. A crash
//     between the delivery and the commit that notes it delivers it a second time; nothing else
//     does. One that cannot be delivered for a day is given up, with a warning.
//  5. Events of one rule and server are told together: a minute after the last one, and half an
//     hour after the first one at the latest (Rule.Quiet, Rule.Most). Three pages or more with one
//     and the same difference are one group, told as one event. Further pages with a difference
//     that was told in the last seven days wait for up to a day.
//  6. Errors are told when a page failed as often in a row as the rule says, once, and once when it
//     works again.
//  7. An expected change is missed when its time, counted while the calendar of the rule is open,
//     is over, and a visit after that saw none. It is told once, until there is a change.
//  8. The store has no address of a target, and no secret of one.
//  9. All is bounded: rules, targets, texts (256 KB), events that wait (10,000), messages (1,000,
//     of 50 groups and 1,000 pages), entries of a feed (50). What is left out is counted in what is
//     told.
//
// # Files
//
//	rule.go, file.go        rules, and the file they are written in
//	watch.go, see.go        what a visit means for each rule
//	copy.go, state.go       what is kept in the store
//	plan.go                 what rules ask of a planner
//	words.go                what differs
//	batch.go, message.go    events put together and made text
//	outbox.go               messages until they are delivered
//	feed.go                 changes as an Atom feed (RFC 4287)
//	deliver.go, webhook.go, program.go
//	                        messages brought to webhooks and programs
//
// When pages are visited is not decided here: Rule.MaxAge, MinAge and Hours are for the planner. A
// Watch is for one goroutine, but for Fresh.
package watch
