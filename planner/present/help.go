package present

// RunHelp says to users what run does.
const RunHelp = `run crawls the servers of the given addresses and follows links inside each server. It fetches a
known page again when the policy finds it worth a fetch, within the budgets:

  --budget 10000/day --budget 2GB/day        of all servers together
  --server-budget 500/day                    of each server
  --server-budget '*.example.org=20MB/hour'  of those below example.org, instead
  --weight https://example.com/news/=3       a change there is worth three others

No budget is exceeded in any hour or day of UTC, not even over crashes and restarts. Bytes are those
read from the network. The summary has what did not fit, and what it would have been worth.

It obeys robots.txt, waits 10 s between two requests to a server or address (longer where
robots.txt or Retry-After ask for it), refuses private addresses, and names a contact.
Stop it with Ctrl-C. Started again, also without addresses, it continues where it stopped.
The directory holds all that is known; journal/ in it has a line for every visit.

--push takes in what others say has changed: hints (recrawl hint), and IndexNow of the owners of
servers. Such pages go before all others. --websub-callback says under which public address hubs
reach it: feeds that name a hub are then subscribed to, and visited when the hub says so (WebSub).

--languages and --filters name pages that are unwanted. Such pages stay known and are looked at seldom.

--archive keeps what is fetched, as WARC files that other tools read. A visit is in the archive before
it counts as made.`

// RunExamples are calls of it.
const RunExamples = `  recrawl run --data crawl --user-agent "mybot/1.0 (+https://example.org/bot)" https://example.org/
  recrawl run --data crawl --user-agent "mybot/1.0 (ops@example.org)" --budget 5000
  recrawl run --data crawl --archive warc --user-agent "mybot/1.0 (ops@example.org)"
  recrawl run --config recrawl.yaml`
