-- The same coverage, counted in the visits: the refetches that found a change, of all changes.
-- recrawl eval histories/ --protocol stream --budget 0.01,0.02,0.05,0.10 --parquet tables
with found as (
  select policy, budget, weeks, count(*) filter (verdict = 'changed') as found
  from 'tables/visits.parquet' group by all)
select policy, budget, found / runs / events as coverage
from found join 'tables/results.parquet' using (policy, budget, weeks)
order by policy, budget;
