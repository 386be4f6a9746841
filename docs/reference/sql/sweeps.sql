-- Single sweeps: their gain, and how much of the changes the first tenth of the pages finds.
-- recrawl eval histories/ --protocol snapshot --weeks 2,4,12,24 --parquet tables
select s.policy, s.weeks, s.threshold, s.gain, s.coverage,
  max(c.coverage) filter (c.fetched <= 0.1) as coverage_of_a_tenth
from 'tables/sweeps.parquet' s join 'tables/curve.parquet' c using (policy, weeks, threshold)
group by all
order by all;
