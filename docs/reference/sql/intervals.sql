-- [SAT fig. 2]: pages by estimated access interval, cumulative.
-- recrawl survey histories/ --parquet tables
select unit, last_modified, interval, share, weighted
from 'tables/intervals.parquet'
order by all;
