-- What a crawl found day by day, and how far its probabilities could be believed.
-- recrawl export --data crawl --parquet tables
select date_trunc('day', time) as day, count(*) as visits,
  count(*) filter (verdict = 'changed') as changed,
  count(*) filter (outcome = 'failed') as failed,
  avg(probability) filter (not first) as expected,
  avg((verdict = 'changed')::int) filter (not first) as found
from 'tables/journal.parquet'
group by day
order by day;
