-- The figure of the README, coverage.svg: the share of the changes that each policy finds.
-- recrawl eval histories/ --protocol stream --budget 0.01,0.02,0.05,0.10 --parquet tables
select policy, budget, coverage, coverage_low, coverage_high
from 'tables/results.parquet'
order by policy, budget;
