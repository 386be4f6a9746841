// Package policy has all policies by name: published ones, those of the papers, and the default
// one. A policy ranks the pages that have a copy; see planner.Policy.
//
// The registry (registry.go: New, Names, All, Published) has the kind of each. Published policies
// follow their sources; docs/reference/policies.md has a line for each, with the departures.
// Reference lines know the future and work in evaluations only.
//
// To add a policy:
//
//  1. Write a type with the methods of planner.Policy, in a file of its family (below), and a
//     constructor that takes Settings. Three frames spare most of the methods: newGreedy ranks by a
//     score (scorer), newDueDriven keeps an interval for each page (intervalRule), and a plain
//     order embeds cycling.
//  2. Add a line to the map policies in registry.go: name, constructor, kind, and what it visits.
//     That makes it known to --policy, to recrawl policies and to the tests of all policies.
//     TestEvalJSON of cmd/core has the names once more: they are promised to users.
//  3. If it is published, add a line to docs/reference/policies.md; a test asks for it. Compare its
//     formula in a test with values computed by hand or published.
//
// The families:
//
//	greedy*.go, ebayes.go   rank pages by an estimate of their change rate
//	commoncrawl.go          score pages by place, age and last outcome
//	allocation.go           give each page its own frequency, for the most freshness in a budget
//	due.go, due_rules.go    keep an interval for each page, as crawlers in use do
//	peers.go                visit all pages at one interval or by a calendar, as programs in use do
//	bysite*.go, division.go visit the top pages of sites first, methods A to C of [LINK 4]
//	learned.go, sentinel.go choose sites, and their top pages, by what past visits saw
//	byserver.go, sample*.go sample each server, or cluster, and then visit whole ones
//	simple.go, uniform.go   plain controls: random, breadth-first, oldest first
//
// Memory beyond the corpus: 9 bytes a page (breadth-first) to 22 (greedy); see BenchmarkBegin.
package policy
