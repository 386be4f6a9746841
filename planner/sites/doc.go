// Package sites has the default policy. It decides by the structure of sites and by the outcomes of
// earlier visits. It has no parameters that must be learnt beforehand.
//
// # Files, in the order in which they take part
//
// Sites: sites.go divides each server into sites, by the division that predicted its changes best
// ([LINK 4], methods A and B; address shapes; communities of links), and finds the top of each.
// groups.go keeps what is known by page, site and server. One part is the account of when the pages
// of a group changed (Nelson-Aalen, interval-censored: evidence.Account).
//
// Tops: tops.go learns by which factor a change of the top of a site, or its absence, multiplies
// the odds of the members. A top that is due is visited before the members of its site. Tops have
// their own rates.
//
// Samples: samples.go visits quiet pages of servers without recent visits, and two more after one
// that had changed (Cho and Ntoulas 2002, made sequential). On the first day it visits the start
// pages of larger servers again. It learns whether samples pay (evidence.Proven).
//
// Pages: each expert predicts whether a page has changed (experts.go, score.go). Two experts use
// the past of the page: a posterior of its rate under a distribution learnt from all pages (Laird
// 1978; power prior: Ibrahim and Chen 2000). Others use the pooled rate, and the clocks of its
// site, its server and all pages of its depth. A chain of two states predicts content that comes
// and goes (evidence.States). For pages born during the crawl, one clock runs over their age. Time
// passes faster at hours at which pages change (evidence.DayTimes).
//
// Together: evidence.Mixture weighs the experts by how well they predict (Kivinen and Warmuth
// 1997). effects.go multiplies the odds by what later visits to server and site found (a shared
// frailty: Vaupel, Manton, Stallard 1979). evidence.Calibrator turns predictions into calibrated
// probabilities (Zadrozny and Elkan 2002). explain.go names the strongest evidence in one sentence.
//
// Worth: worth.go computes the worth of a visit: the change, the fresh copy, and what the policy
// learns from it. discovery.go adds the new pages that a change leads to, and gone.go the chance
// that the page is gone. firstvisits.go judges addresses without a copy.
//
// Queue: policy.go has the rounds. Its Due returns when the visit to a page is expected to be worth
// the price. ranking.go ranks the pages that the queue handed out, and promote.go brings other
// pages forward after a surprising outcome.
//
// Memory of the past: keep.go writes what was learnt. replay.go rebuilds accounts from the records
// of pages when there is no kept memory. parts.go names the parts that can be switched off.
//
// # Memory
//
// A page takes 32 bytes: 20 in groups, 8 for its score, 4 for its tie. All are in scratch files, so
// that the system can take their memory back. A page that was handed out takes 12 more in its
// round. A site takes 90 bytes, and up to 1.2 kB after visits; a server 350 bytes, and up to 5 kB.
// The time of a round grows with the pages due in it, plus one step for each server.
//
// # Concurrency
//
// A Policy is for one goroutine, as planner.Policy says. Policies share nothing.
package sites
