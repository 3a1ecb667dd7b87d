/** The tables of the log, and each statement that the driver sends. Parameters are binary where they are bodies; numbers of 64 bits come back as text. */

/** The layout of the tables. */
export const FORMAT = 1;

/**
 * Entries lie in chapters, one partition each: room is given back by dropping one, since rows that are deleted one by one leave tables that only grow. Rows of shards change with each
 * append: half of a page stays free, so that the new version of a row lies beside the old one and no index changes.
 */
export const TABLES = `
create table skep_cluster (
  one boolean primary key default true check (one),
  id uuid not null, format int not null, shards int not null, chapter int not null, system bigint not null);
create table skep_shard (
  shard int primary key, epoch bigint not null default 0, seq bigint not null default 0, confirmed bigint not null default 0,
  chain bytea not null, time bigint not null default 0, owner text, token text
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);
create table skep_snapshot (
  shard int primary key, seq bigint not null default 0, trimmed bigint not null default 0, notes jsonb not null default '[]');
create table skep_log (
  chapter int not null, shard int not null, seq bigint not null, epoch bigint not null, confirmed bigint not null,
  first bigint not null, time bigint not null, chain bytea not null, body bytea not null,
  primary key (chapter, shard, seq)
) partition by list (chapter);
alter table skep_log alter column body set storage external;
`;

/** Marks of the keys that seal the log: made with it, and in a log of before by the first node that seals. */
export const SEAL_TABLE = `create table if not exists skep_seal (key int primary key, mark bytea not null)`;

export const FILL = [
  `insert into skep_cluster select true, gen_random_uuid(), ${FORMAT}, $1::int, 1, system_identifier from pg_control_system()`,
  `insert into skep_shard (shard, chain) select n, decode(repeat('00', 16), 'hex') from generate_series(0, $1::int - 1) n`,
  `insert into skep_snapshot (shard) select n from generate_series(0, $1::int - 1) n`,
] as const;

export const chapterTable = (chapter: number): string => `skep_log_${chapter}`;

/** A chapter is made as a table and attached: made as a partition it would wait for every reader of the log, and appends behind it. */
export function newChapter(chapter: number): string[] {
  const name = chapterTable(chapter);
  return [
    `create table ${name} (like skep_log including defaults including storage, primary key (chapter, shard, seq), check (chapter = ${chapter}))`,
    `alter table skep_log attach partition ${name} for values in (${chapter})`,
  ];
}

export const LOOK = `
select s.epoch, s.seq, s.confirmed, s.owner, n.trimmed, n.notes
  from skep_shard s join skep_snapshot n using (shard) where s.shard = $1`;

export const ENDS = `select shard, seq, confirmed from skep_shard order by shard`;

const CLAIMED = `s.shard, s.epoch, s.seq, encode(s.chain, 'hex') as chain, s.time, w.trimmed, w.notes`;

const WISHES = `unnest($1::int[], $2::bigint[], $3::text[], $4::text[]) as w (shard, seen, owner, token) join skep_snapshot n using (shard)`;

/** Shards of several wishes, each by itself. */
export const CLAIM = `
update skep_shard s set epoch = s.epoch + 1, owner = w.owner, token = w.token
  from (select w.*, n.trimmed, n.notes from ${WISHES}) w where s.shard = w.shard and s.epoch = w.seen returning ${CLAIMED}`;

/** Finds claims of these tokens again. It changes the rows, so that its acknowledgement waits for the copies. */
export const CLAIM_AGAIN = `
update skep_shard s set owner = s.owner
  from (select w.*, n.trimmed, n.notes from ${WISHES}) w where s.shard = w.shard and s.epoch = w.seen + 1 and s.token = w.token returning ${CLAIMED}`;

/**
 * Entries of all shards in one statement: what does not fit changes nothing, and does not harm the others. The name of the standby is asked for in the statement itself ($9: whether one is
 * demanded), since a server without one would acknowledge on one copy.
 */
export const APPEND = `
with e as (
  select * from unnest($1::int[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bytea[])
    as e (shard, epoch, seq, confirmed, time, chain)
), mine as (
  update skep_shard s set seq = e.seq, confirmed = greatest(s.confirmed, e.confirmed), time = greatest(s.time, e.time), chain = e.chain
    from e where s.shard = e.shard and s.epoch = e.epoch and s.seq = e.seq - 1
     and (not $9::bool or current_setting('synchronous_standby_names') <> '')
  returning e.shard, e.epoch, e.seq, e.confirmed, e.time, e.chain
)
insert into skep_log (chapter, shard, seq, epoch, confirmed, first, time, chain, body)
select (select chapter from skep_cluster), m.shard, m.seq, m.epoch, m.confirmed, b.first, m.time, m.chain, b.body
  from mine m join unnest($1::int[], $7::bigint[], $8::bytea[]) as b (shard, first, body) using (shard)
returning shard`;

/** What is at the places of entries that did not fit. */
export const FIND = `
select e.shard, s.epoch, encode(l.chain, 'hex') as chain, l.epoch as entry_epoch
  from unnest($1::int[], $2::bigint[]) as e (shard, seq) join skep_shard s using (shard)
  left join skep_log l on l.shard = e.shard and l.seq = e.seq`;

/** Writes rows as they are. That is copied like any change: what lies before it is on the copies when it is acknowledged. */
export const COVER = `
update skep_shard s set confirmed = s.confirmed
  from unnest($1::int[], $2::bigint[]) as e (shard, epoch) where s.shard = e.shard and s.epoch = e.epoch returning s.shard`;

/** One row at least: the shard as it is at the moment of the statement, beside each entry. $2: the owner's epoch, or null for readers of what is confirmed. */
export const READ = `
with at as (
  select s.shard, s.epoch, case when $2::bigint is null then s.confirmed else s.seq end as last, n.trimmed
    from skep_shard s join skep_snapshot n using (shard) where s.shard = $1
), near as (
  select l.chapter, l.seq, sum(octet_length(l.body)) over (order by l.seq) as bytes
    from (select l.chapter, l.seq, l.body from skep_log l, at where l.shard = $1 and l.seq > $3 and l.seq <= at.last order by l.seq limit 1024) l
)
select at.epoch as shard_epoch, at.last, at.trimmed, l.seq, l.epoch, l.confirmed, l.first, l.time, encode(l.chain, 'hex') as chain, l.body
  from at left join (
    near join skep_log l on l.chapter = near.chapter and l.shard = $1 and l.seq = near.seq and (near.bytes <= $4 or near.seq = $3::bigint + 1)
  ) on true order by l.seq`;

export const RELEASE = `
update skep_shard set epoch = epoch + 1, owner = null, token = null where shard = $1 and epoch = $2 returning shard`;

export const NOTE = `
update skep_snapshot n set seq = $2, notes = (
    select jsonb_agg(one order by place) from (
      select $3::jsonb as one, 0 as place union all
      select value, ordinality from jsonb_array_elements(n.notes) with ordinality where ordinality < $4) kept)
 where n.shard = $1 and n.seq < $2 and $2 <= (select s.seq from skep_shard s where s.shard = $1) returning shard`;

export const NOTE_AGAIN = `
update skep_snapshot set seq = seq where shard = $1 and seq = $2 and notes -> 0 = $3::jsonb returning shard`;

export const TRIM = `
update skep_snapshot set trimmed = greatest(trimmed, $2) where shard = $1 and seq >= $2 returning shard`;

/** Chapters behind which there is one, and whether an entry of theirs is still needed. */
export const CHAPTERS = `
select c.chapter from generate_series(1, (select chapter from skep_cluster) - 1) as c (chapter)
 where to_regclass('skep_log_' || c.chapter) is not null order by 1`;

export const isNeeded = (chapter: number): string => `
select exists (
  select from ${chapterTable(chapter)} l join skep_snapshot n using (shard) where l.seq > n.trimmed) as needed`;

export const CLUSTER = `
select id, format, shards, (select coalesce(max(time), 0) from skep_shard) as time from skep_cluster`;

export const SHARDS = `
select s.shard, s.owner, s.epoch, s.seq, s.confirmed, n.trimmed, n.notes -> 0 as note from skep_shard s join skep_snapshot n using (shard) order by s.shard`;

export const SURVEY = `
select current_setting('server_version_num') as version, current_setting('server_version') as release, current_setting('synchronous_standby_names') as names,
  pg_has_role('pg_read_all_stats', 'usage') as sees, (select count(*) from pg_stat_replication where sync_state = 'sync') as standbys,
  coalesce((select ssl from pg_stat_ssl where pid = pg_backend_pid()), false) as ssl,
  has_schema_privilege(current_schema(), 'create') as creates, to_regclass('skep_cluster') is not null as exists`;

/** What a user without pg_read_all_stats does not see is null. */
export const MEMBERS = `
select application_name as name, state, sync_state as sync, greatest(0, pg_wal_lsn_diff(pg_current_wal_lsn(), flush_lsn))::bigint as behind
  from pg_stat_replication order by application_name limit $1`;

/** Tables of the log that the user may not read and change. */
export const REFUSED = `
select name from unnest(array['skep_cluster', 'skep_shard', 'skep_snapshot', 'skep_node', 'skep_serving', 'skep_seal', 'skep_log']) as t (name)
 where case when to_regclass(name) is null then false else not (has_table_privilege(name, 'select') and has_table_privilege(name, case name when 'skep_log' then 'insert' else 'update' end)) end`;

export const SIZE = `
select coalesce(sum(pg_total_relation_size(inhrelid)), 0) as bytes from pg_inherits where inhparent = 'skep_log'::regclass`;

/** Changes nothing that anyone reads, and is copied as an append is. */
export const TOUCH = `update skep_cluster set shards = shards`;
