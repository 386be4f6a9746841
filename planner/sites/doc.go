// Package sites has the default policy: it decides by the structure of sites and by what the visits
// made here showed. It has no parameters to learn beforehand.
//
// # Files, in the order in which they take part
//
// Sites: sites.go divides each server into sites, by the division that predicted its changes best
// ([LINK 4], methods A and B; address shapes; communities of links), and finds the top of each.
// groups.go keeps what is known by page, site and server: among it the account of when the pages of
// a group changed (Nelson-Aalen, interval-censored: evidence.Account).
//
// Tops: tops.go learns how much likelier the members of a site have changed where its top has, and
// where it has not. A top that is due is visited before the members of its site. Tops have rates
// and clocks of their own.
//
// Samples: samples.go visits quiet pages of servers that nobody looked at for long, two more where
// one had changed (Cho and Ntoulas 2002, made sequential), and the start pages of larger servers on
// the first day. It learns whether that pays here (evidence.Proven).
//
// Pages: each expert has an opinion of a page (experts.go, score.go). Two go by its own past: a
// posterior of its rate under a distribution that is learnt from all pages (Laird 1978; power
// prior: Ibrahim and Chen 2000). Others go by the pooled rate, and by the clocks of its site, its
// server and all pages of its depth. A chain of two states has what comes and goes
// (evidence.States). Pages that became known here have a clock that goes by their age. Time passes
// faster at the hours at which pages change (evidence.DayTimes).
//
// Together: evidence.Mixture weighs the experts by how well they predict (Kivinen and Warmuth
// 1997). effects.go multiplies the odds by what visits to server and site found since (a shared
// frailty: Vaupel, Manton, Stallard 1979). evidence.Calibrator makes probabilities mean what they
// say (Zadrozny and Elkan 2002). explain.go says in one sentence what spoke loudest.
//
// Worth: worth.go says what a visit is worth: the change, the fresh copy, what it may tell.
// discovery.go adds the new pages that a change leads to, and gone.go the page that may be gone.
// firstvisits.go judges addresses without a copy.
//
// Queue: policy.go has the rounds, and Due says when a page is due: when its visit is expected to
// be worth the price. ranking.go ranks the pages that the queue handed out, and promote.go
// brings others forward where an outcome surprised.
//
// Memory of the past: keep.go writes what was learnt, and replay.go makes accounts from the records
// of pages where there is nothing else. parts.go names the parts that can be switched off.
//
// # Memory
//
// A page takes 32 bytes: 20 in groups, 8 for its score, 4 for its tie. All are in scratch files, so
// that the system can take their memory back. A page that was handed out takes 12 more in its
// round. A site takes 90 bytes, and up to 1.2 kB once visits told of it; a server 350 bytes, and up
// to 5 kB. A round costs what is due in it, and one step for each server.
//
// # Concurrency
//
// A Policy is for one goroutine, as planner.Policy says. Policies share nothing.
package sites
