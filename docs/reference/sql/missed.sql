-- [HIER fig. 6 to 8]: missed periods and throughput by connections, in the mean over the webs.
-- recrawl schedule simulate --sweep --webs 3 --parquet tables
select servers, policy, connections, avg(missed) as missed, avg(mbps) as mbps
from 'tables/simulations.parquet'
group by all
order by all;
