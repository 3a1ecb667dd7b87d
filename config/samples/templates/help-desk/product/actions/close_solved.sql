update ticket
   set status = 'closed'
 where status = 'solved'
   and updated_at < now() - interval '14 days'
