/** The tables of the nodes on a log, and each statement about them. Statements that change the same rows in two tables take that of the serving one first. */

/** `at` is the database's own clock, and for people and tidying alone: nothing is decided by it. */
export const NODE_TABLES = `
create table if not exists skep_node (
  incarnation uuid primary key, node text not null, place text not null, lease_ms int not null,
  beat bigint not null default 0, fenced boolean not null default false, at timestamptz not null default clock_timestamp()
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);
create table if not exists skep_serving (one boolean primary key default true check (one), incarnation uuid);
insert into skep_serving values (true, null) on conflict do nothing;
alter table skep_node add column if not exists behind bigint, add column if not exists behind_ms bigint, add column if not exists heir uuid,
  add column if not exists link text, add column if not exists linked boolean, add column if not exists carries uuid, add column if not exists carry_no bigint not null default 0;
alter table skep_serving add column if not exists carried bigint not null default 0;
`;

/** Whether all of them are there, and those of events: a release before this one made fewer columns. */
export const HAS_NODE_TABLES = `
select to_regclass('skep_serving') is not null and to_regclass('skep_event') is not null
  and exists (select from pg_attribute where attrelid = to_regclass('skep_node') and attname = 'carry_no' and not attisdropped) as exists`;

/** Lives that were silent for a day are forgotten, all but the one that serves. A life that is there already stays as it is, and its row is written, so that the acknowledgement waits for the copies. */
export const REGISTER = `
with gone as (
  delete from skep_node where at < clock_timestamp() - interval '1 day' and incarnation <> $1
    and incarnation not in (select incarnation from skep_serving where incarnation is not null)
)
insert into skep_node (incarnation, node, place, lease_ms, link) values ($1, $2, $3, $4, $5)
  on conflict (incarnation) do update set node = skep_node.node returning incarnation`;

export const BEAT = `
with mine as (
  update skep_node set beat = greatest(beat, $2), at = clock_timestamp(), behind = $3, behind_ms = $4, linked = $5 where incarnation = $1 and not fenced returning incarnation
)
select n.incarnation, n.node, n.place, n.lease_ms, n.beat, n.fenced, n.behind, n.behind_ms, n.heir, n.link, n.carries, s.incarnation as serving, s.carried from mine, skep_serving s, skep_node n`;

export const CONDEMN = `
update skep_node set fenced = true where incarnation = $1 and beat = $2 and not fenced returning incarnation`;

export const CONDEMN_AGAIN = `
update skep_node set fenced = fenced where incarnation = $1 and fenced returning incarnation`;

/** The rows are written once more where it was told so before. */
export const HAND_OVER = `
update skep_node set heir = $2 where incarnation = $1 and not fenced
  and exists (select from skep_node where incarnation = $2 and not fenced) returning incarnation`;

export const SERVE = `
update skep_serving set incarnation = $1 where incarnation is not distinct from $2::uuid and carried = $3
  and exists (select from skep_node where incarnation = $1 and not fenced)
  and not exists (select from skep_node where incarnation = $2::uuid and not fenced) returning incarnation`;

export const SERVE_AGAIN = `
update skep_serving set incarnation = incarnation where incarnation = $1 returning incarnation`;

/** The row of the serving one is changed first, and its lock taken. One that waits for it compares the row as it is then. */
export const CARRY = `
with serving as (
  update skep_serving set carried = carried + 1 where incarnation = $2
    and exists (select from skep_node where incarnation = $1 and not fenced and carry_no < $3) returning one
)
update skep_node set carries = $2, carry_no = $3 where incarnation = $1 and not fenced and carry_no < $3 and (select count(*) from serving) > 0 returning incarnation`;

/** A life that is fenced runs nothing that counts, so it may say so. */
export const CARRY_NONE = `
update skep_node set carries = null, carry_no = $2 where incarnation = $1 and carry_no < $2 returning incarnation`;

export const CARRY_AGAIN = `
update skep_node set carry_no = carry_no where incarnation = $1 and carry_no = $2 returning incarnation`;

export const LEAVE = `
with off as (update skep_serving set incarnation = null where incarnation = $1 returning one)
update skep_node set fenced = true where incarnation = $1 and (select count(*) from off) >= 0 returning incarnation`;

/** Columns that a release before this one did not make are null. */
export const NODES = `
select n.incarnation, n.beat, n.node, n.place, n.lease_ms, n.fenced, (to_jsonb(n) ->> 'behind')::bigint as behind, (to_jsonb(n) ->> 'behind_ms')::bigint as behind_ms, to_jsonb(n) ->> 'link' as link, (to_jsonb(n) ->> 'linked')::boolean as linked, to_jsonb(n) ->> 'carries' as carries, coalesce(n.incarnation = s.incarnation, false) as serving,
       extract(epoch from clock_timestamp() - n.at) as age from skep_node n, skep_serving s order by n.at desc`;
