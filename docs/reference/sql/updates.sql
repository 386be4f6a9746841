-- [LINK fig. 10 and 11]: the share of the pages by their number of updates.
-- recrawl survey histories/ --parquet tables
select "group", weeks, updates, pages / sum(pages) over (partition by "group", weeks) as share
from 'tables/updates.parquet'
order by all;
