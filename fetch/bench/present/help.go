package present

// Example shows bench fetch at work.
const Example = `  recrawl bench fetch
  recrawl bench fetch --rounds 5 --html fetch.html
  recrawl bench fetch --in-flight 1000 --json | jq '.in_flight'
  recrawl bench fetch --servers 20 --pages 10 --rounds 1`

// Help explains the measurement and its result.
const Help = `bench fetch measures what a fetched page costs. A process of its own serves pages of about 22 KB with 40
links at addresses of 127.0.0.0/8. Clients ask for all of them, each in its own process, and take turns:

  raw, raw-new       net/http, bodies dropped: connections kept alive; a new one for each page
  colly              colly v2, tuned: robots.txt, links resolved, a digest of each page
  run                recrawl run, from the start pages on: robots.txt, links, digests, planner, store
  run-304            the same once more: no page has changed
  run-archive        recrawl run --archive, and run-archive-304 once more
  run-archive-stored the same with --archive-gzip=false
  run-gzip           recrawl run on pages sent with gzip, and run-gzip-archive with --archive

Figures are printed only if every client got each page exactly once, as the servers counted. CPU is that
of the client's whole process. Ratios are made within a round, so that they hold on a machine with other
work; the time does not. The client shares the processors with the servers.

--in-flight N measures memory: a run on --known servers, with N visits under way, each of which stops for
seconds in the middle of its page.

The exit code is 0 also where a ratio is not met: the table says so.

` + asJSON

// asJSON describes a bench.Result as JSON.
const asJSON = `--json prints {"servers","pages","rounds","parallel","processors","page_bytes","page_bytes_gzip",
"load_average":[2],"clients":[{"client","about","cpu_us_per_page","to_raw":RATIO,"to_colly":RATIO,
"pages_per_second","peak_memory_bytes","server_cpu_us_per_page","requests","runs":[{"seconds",
"cpu_seconds","peak_memory_bytes","served":{"pages","distinct","unmodified","robots","other",
"connections","most_at_once","cpu_seconds"}}]}],"requirements":[{"of","to","ratio":RATIO,"most",
"met"}],"in_flight":{"wanted","in_flight","known_servers","visits","seconds","peak_memory_bytes",
"most_memory_bytes","met"}}. RATIO is {"median","from","to"}, over the rounds. in_flight is null
where it was not asked for.`
