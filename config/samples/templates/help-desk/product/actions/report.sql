select organisation.name as organisation, ticket.status, count(*) as tickets
  from ticket
  left join organisation on organisation.id = ticket.organisation_id
 where ticket.created_at >= :since
 group by organisation.name, ticket.status
 order by organisation.name, ticket.status
