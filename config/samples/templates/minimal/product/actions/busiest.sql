select owner, count(*) as notes, max(updated_at) as last
  from note
 group by owner
 order by notes desc, owner
 limit :most
