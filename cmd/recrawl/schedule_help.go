package main

const scheduleReportHelp = `report puts each server into a class:

  feasible                its interval can be kept
  pool-bound              it could be, but the connections do not suffice for all
  steadily infeasible     the mean download takes longer than the interval: e/I > 1
  temporarily infeasible  the longest download does
  politeness-bound        the delay between two visits, with the visit itself, is longer

and says what would cure it, in visits a day and in value: pages whose copy is good. At least
ceil(sum of min(e/I, 1)) connections are needed; about three times as many for no missed period.
Corrections change the intervals so that all fits; the first of the table loses least.

  --data, --journal  of run; the journal also knows which servers share an address
  histories          intervals are the times between changes, downloads take --download
  --log              a CSV of downloads; --generate: servers as published

Large sites are those of which one pass over all pages takes more than --pass-days at this --delay.`

const scheduleReportExample = `  recrawl checkpoint --data crawl --to copy && recrawl schedule report --data copy
  recrawl schedule report --journal crawl/journal --pool 64 --html report.html
  recrawl schedule report --log downloads.csv --delay 10s --json | jq .infeasible
  recrawl schedule report histories/ --by change`

const scheduleSimulateHelp = `simulate lets servers wait for a connection, download for as long as the next line of their log says,
pause, and wait again. A period of a server in which no download begins is missed. It uses the
scheduler that run uses.

Without a source it generates the servers of [HIER 3.1]: 82,034 with a mean interval of 5.5 days.
--sweep tries all five policies with many numbers of connections, draws figures 6 to 8 of the paper
and says which of its statements hold. A day of all servers takes about two seconds on one core.

  edf   the earliest latest start first     fcfs  the first to wait first
  freq  the shortest interval first         rm    the largest utilisation first
  sjf   the shortest download first`

const scheduleSimulateExample = `  recrawl schedule simulate --days 10 --connections 84 --policy edf
  recrawl schedule simulate --sweep --webs 3 --html sweep.html --svg figures
  recrawl schedule simulate --log downloads.csv --policy edf,sjf --connections 4,8,16`

const schedulePlanHelp = `plan says what a target takes: connections, bandwidth and nodes, each with its spread (5th to 95th
percentile over 200 resamples of the servers). Four numbers of connections, from below: with fewer
than the bound intervals are certainly missed; the least with which the simulation missed nothing;
three times the bound, as published; and a number proved to suffice whenever periods begin.

  --target intervals=1     all intervals as they are wanted; 2: twice as long
  --target freshness=0.8   copies are good 80 % of the time, where the wanted interval of a page is
                           the time between its changes (--by change)

Servers whose intervals no number of connections keeps are left out: schedule report names them.`

const schedulePlanExample = `  recrawl schedule plan --journal crawl/journal --target intervals=2
  recrawl schedule plan --data copy --by change --target freshness=0.8 --node-mbps 50
  recrawl schedule plan --generate 82034 --delay 1s --json | jq .nodes`
