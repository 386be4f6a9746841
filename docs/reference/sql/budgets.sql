-- The table of README and tuning.md: what a budget buys.
-- recrawl tune histories/ --base 30 --target coverage=0.8 --policy ebayes --futures 4 --parquet tables
pivot (select budget, fetches_per_day, knee, measure, value, low, high
  from 'tables/predictions.parquet')
on measure in ('coverage', 'update_rate', 'freshness')
using max(value) as value, max(low) as low, max(high) as high
order by budget;
