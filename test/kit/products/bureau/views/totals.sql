select state as id, count(*) as tickets, string_agg(title, ', ' order by title) as titles
  from ticket group by state
