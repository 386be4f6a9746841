// Command recrawl plans which known web pages to fetch again, and when; fetches them politely; and
// measures how well that works. What needs large libraries of its own is in recrawl-cluster,
// recrawl-search and recrawl-lab, which recrawl calls.
package main

import "github.com/recrawl/recrawl/cmd/core"

func main() { core.Main() }
