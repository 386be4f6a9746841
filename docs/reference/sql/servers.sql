-- [LINK fig. 12 to 18]: update rate and coverage of whole servers by their change rate.
-- recrawl eval histories/ --figures --parquet tables
select policy, weeks, threshold, update_rate, coverage
from 'tables/figures.parquet'
where kind = 'threshold'
order by policy, weeks, threshold;
