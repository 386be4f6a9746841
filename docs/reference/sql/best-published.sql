-- The first table of the README: a policy against the best published one, by each measure.
-- recrawl eval histories/ --protocol stream --budget 0.02 --policy sites,ebayes,interval,c-closure,clairvoyant --parquet tables
select measure, budget, ratio, ratio_low, ratio_high, difference, difference_low, difference_high,
  value, other, other_value
from 'tables/comparisons.parquet'
where best_published
order by measure, budget;
