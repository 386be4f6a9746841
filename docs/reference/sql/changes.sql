-- How often the pages of each server changed.
-- recrawl export histories/ --parquet tables
select server, count(*) as pages, sum(changes) as changes,
  count(*) filter (changes > 0) / count(*) as changed_share
from 'tables/pages.parquet'
group by server
order by changes desc;
