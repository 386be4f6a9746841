-- The expected calibration error of refetches: how far probabilities are from what came.
-- recrawl eval histories/ --protocol stream --parquet tables
select policy, budget, sum(count * abs(probability - changed)) / sum(count) as ece
from 'tables/calibration.parquet'
where visited
group by all
order by policy, budget;
