// Package watch reports changes of pages to people, by rules.
//
// # Terms
//
//	rule     pages (a URL or a prefix of URLs), the parts that count, events and targets
//	text     the part of a page that a rule selects (extract.Rules); default: its main text
//	copy     the text in the store: of the last visit that saw a new one
//	event    what happened to one page by a rule: changed, gone, new, ...
//	batch    events of one rule and server that wait to be sent together
//	message  a batch that is sent; it waits in the outbox until each of its targets has it
//	target   receiver: a webhook or a program (OpenSenders)
//
// # Guarantees
//
//  1. The first visit to a page under a rule, or under a changed rule, is a baseline without
//     events: later texts are compared with its text. A page is new if a page, feed or sitemap
//     names it that did not name it at an earlier visit.
//  2. A change is reported if, and only if, the text of the rule differs from the copy. A message
//     has the differing words, and counts those without room.
//  3. Copies, events and messages are in the same commit as their visit (Keep). A crash loses none
//     of an acknowledged visit, and keeps none of another.
//  4. A message is delivered at least once to each target, always with the same ID. It is delivered
//     twice only if a crash comes between a delivery and its commit. After a day without success it
//     is given up, with a warning.
//  5. Events of one rule and server are sent together: a minute after the last one, and at most
//     half an hour after the first (Rule.Quiet, Rule.Most). Three or more pages with the same
//     difference are one group, reported as one event. Further pages with a difference of the last
//     seven days' messages wait for up to a day.
//  6. Errors are reported once after the number of failures in a row that the rule sets, and once
//     when the page works again.
//  7. An expected change is missed if its time is over and a later visit saw none. The time counts
//     while the calendar of the rule is open. It is reported once, until there is a change.
//  8. The store contains no URL and no secret of a target.
//  9. Everything is bounded: rules, targets, texts (256 KB), waiting events (10,000), messages
//     (1,000, with 50 groups and 1,000 pages), entries of a feed (50). Messages count what they
//     leave out.
//
// # Files
//
//	rule.go, file.go        rules, and the file they are written in
//	watch.go, see.go        what a visit means for each rule
//	copy.go, state.go       what is kept in the store
//	plan.go                 settings of a planner from rules
//	words.go                what differs
//	batch.go, message.go    events put together and made text
//	outbox.go               messages until they are delivered
//	feed.go                 changes as an Atom feed (RFC 4287)
//	deliver.go, webhook.go, program.go
//	                        messages brought to webhooks and programs
//
// The planner decides when to visit, with Rule.MaxAge, MinAge and Hours. One goroutine uses a
// Watch; only Fresh is safe for others.
package watch
