/**
 * What has happened to the nodes on a log, for people: rows that triggers write in the transaction of what they tell of, so that none is missing and none is of something that was undone. Nothing is decided by
 * them. The statements of the log itself touch none of the columns that they look at.
 */
export const EVENT_TABLES = `
create table if not exists skep_event (
  no bigint generated always as identity primary key, at timestamptz not null default clock_timestamp(), change bigint not null default txid_current(),
  kind text not null, node text, other text, shard int, silent_s numeric
);
create or replace function skep_tell_node() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into skep_event (kind, node, other) values ('started', new.node, new.link);
    return null;
  end if;
  if new.fenced and not old.fenced then
    insert into skep_event (kind, node, silent_s) values ('ended', new.node, round(extract(epoch from clock_timestamp() - old.at)::numeric, 1));
  end if;
  if new.heir is distinct from old.heir then
    insert into skep_event (kind, node, other) select 'hands over', new.node, n.node from skep_node n where n.incarnation = new.heir;
  end if;
  if new.carries is distinct from old.carries then
    insert into skep_event (kind, node, other)
      values (case when new.carries is null then 'carries nothing' else 'carries' end, new.node, (select n.node from skep_node n where n.incarnation = coalesce(new.carries, old.carries)));
  end if;
  return null;
end $$;
create or replace function skep_tell_serving() returns trigger language plpgsql as $$
begin
  insert into skep_event (kind, node, other)
    values (case when new.incarnation is null then 'serves no more' else 'serves' end,
      (select n.node from skep_node n where n.incarnation = coalesce(new.incarnation, old.incarnation)),
      (select n.node from skep_node n where n.incarnation = old.incarnation and new.incarnation is not null));
  return null;
end $$;
create or replace function skep_tell_shard() returns trigger language plpgsql as $$
begin
  insert into skep_event (kind, node, other, shard)
    values (case when new.owner is null then 'closes' else 'opens' end, split_part(coalesce(new.owner, old.owner), ' ', 1), substring(coalesce(new.owner, old.owner) from 'host-\\d+$'), new.shard);
  return null;
end $$;
create or replace trigger skep_node_tells after insert or update of fenced, heir, carries on skep_node for each row execute function skep_tell_node();
create or replace trigger skep_serving_tells after update of incarnation on skep_serving for each row
  when (old.incarnation is distinct from new.incarnation) execute function skep_tell_serving();
create or replace trigger skep_shard_tells after update of owner on skep_shard for each row
  when (old.owner is distinct from new.owner or (old.epoch <> new.epoch and new.owner is not null)) execute function skep_tell_shard();
`;

/** Of a month, and of the shards in one change together. */
export const EVENTS = `
select min(at) as at, kind, node, other, array_agg(shard order by shard) filter (where shard is not null) as shards, max(silent_s)::float8 as silent_s
  from (select * from skep_event order by no desc limit $1) e group by change, kind, node, other order by min(no)`;

/** Rows of before a month are let go, with the start of a node. */
export const FORGET_EVENTS = `delete from skep_event where at < clock_timestamp() - interval '30 days'`;
