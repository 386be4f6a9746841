-- Learning curves: coverage so far and freshness, week by week.
-- recrawl eval histories/ --protocol stream --parquet tables
select policy, budget, week, update_rate, coverage, freshness
from 'tables/weekly.parquet'
order by policy, budget, week;
