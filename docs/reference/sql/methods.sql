-- [LINK fig. 5 and 6]: update rate and coverage of methods by sites, by period.
-- recrawl eval histories/ --figures --parquet tables
select policy, weeks, update_rate, coverage
from 'tables/figures.parquet'
where kind = 'method' and "group" = ''
order by policy, weeks;
