-- The figure of store.md, rounds.svg: processor time of a round by the number of pages. It is drawn
-- of rounds.jsonl, which a benchmark writes: store.md has the command. The first round of a line is
-- left out, since it begins anew; of an even number the upper one of both in the middle counts.
with lines as (
  select row_number() over () as line, pages / 1e6 as million_pages, rounds[2:] as rounds
  from read_json('rounds.jsonl', format = 'newline_delimited'))
select million_pages,
  list_sort([x.processor_seconds for x in rounds])[len(rounds) // 2 + 1] as processor_s,
  list_sort([x.begin_processor_seconds for x in rounds])[len(rounds) // 2 + 1] as until_first_visit_s
from lines
order by line;
