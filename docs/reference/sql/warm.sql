-- The figure of eval --warm: coverage of the first month, with captures and without.
-- recrawl eval legal/ --protocol stream --warm 52 --base 52 --weeks 4 --budget 0.01,0.02,0.05 --policy sites,ebayes --parquet tables
select policy, budget, every, max(coverage) as warm,
  max(other_coverage) filter (against = 'copies') as cold,
  max(other_coverage) filter (against = 'addresses') as addresses_alone
from 'tables/warm.parquet'
group by all
order by all;
