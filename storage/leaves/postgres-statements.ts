/** The tables of leaves in the database of a log, and each statement that their store sends. Numbers of 64 bits come back as text. */

/**
 * A row of `skep_audit_log` changes with each write: half of its page stays free, as with rows of shards (../log-engine/postgres/statements.ts). A row of `skep_audit_leaves` has the leaves of one write. On a sealed log (./sealed-leaves.ts)
 * `seal_mark` says from which leaf on rows are sealed, and `name` is the sealed path of a file, whose `path` is a keyed digest of it.
 */
export const TABLES = `
create table if not exists skep_audit_log (
  log text collate "C" primary key, key text not null, writer uuid not null, size bigint not null default 0, signed bigint not null default 0, head jsonb, seal_mark bytea
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);
create table if not exists skep_audit_leaves (
  log text collate "C" not null, first bigint not null, count int not null, bytes bytea not null, primary key (log, first));
create table if not exists skep_audit_file (
  log text collate "C" not null, path text collate "C" not null, bytes bytea not null, name bytea, primary key (log, path));
alter table skep_audit_log add column if not exists seal_mark bytea;
alter table skep_audit_file add column if not exists name bytea;
`;

/** Whether the tables are there with every column: those of before gain what they lack. */
export const ARE_WHOLE = `select exists (select from pg_attribute where attrelid = to_regclass('skep_audit_file') and attname = 'name') as exists`;

/** Makers of the tables wait for each other: "if not exists" alone lets two of them collide. */
export const LOCK = `select pg_advisory_xact_lock(hashtext('skep_audit'))`;

export const SIZES = `select log, size from skep_audit_log order by log`;

/** The row of the serving node is locked until the claim is made: whatever node comes to serve claims behind it. The row of the log is written, so that all before it is on the copies when it is acknowledged. */
export const CLAIM = `
with place as (select incarnation from skep_serving where incarnation = $2::uuid for share)
insert into skep_audit_log as l (log, writer, key) select $1, $3::uuid, $4 from place
on conflict (log) do update set writer = excluded.writer
returning l.size, l.key, l.head, l.seal_mark as mark`;

/** A mark that is there stays. */
export const MARK = `update skep_audit_log set seal_mark = coalesce(seal_mark, $3) where log = $1 and writer = $2::uuid returning seal_mark as mark`;

/** Leaves of several logs: those of a log that another process claimed, or that has another size, change nothing. $6: whether a standby is demanded, asked for in the statement itself as for an append to the log. */
export const APPEND = `
with e as (
  select * from unnest($1::text[], $2::bigint[], $3::int[], $4::uuid[]) as e (log, first, count, writer)
), mine as (
  update skep_audit_log l set size = e.first + e.count from e
   where l.log = e.log and l.writer = e.writer and l.size = e.first and (not $6::bool or current_setting('synchronous_standby_names') <> '')
  returning l.log, e.first, e.count
)
insert into skep_audit_leaves (log, first, count, bytes)
select m.log, m.first, m.count, b.bytes from mine m join unnest($1::text[], $5::bytea[]) as b (log, bytes) using (log)
returning log`;

/** What is so of logs whose leaves were not added. It changes the rows, so that its acknowledgement waits for the copies. */
export const LOOK = `update skep_audit_log set writer = writer where log = any($1::text[]) returning log, writer, size`;

/** The leaves of one write, read behind that. */
export const ROW = `select bytes from skep_audit_leaves where log = $1 and first = $2`;

export const PUBLISH = `
update skep_audit_log set signed = greatest(signed, $3), head = case when signed < $3 then $4::jsonb else head end
 where log = $1 and writer = $2::uuid and size >= $3 returning log`;

/** Rows from the one on that has leaf $2, below leaf $3: the first, and more up to so many bytes. */
export const READ = `
select first, count, bytes, (select seal_mark from skep_audit_log where log = $1) as mark from (
  select first, count, bytes, row_number() over (order by first) as no, sum(octet_length(bytes)) over (order by first) as total from (
    select first, count, bytes from skep_audit_leaves
     where log = $1 and first < $3 and first >= coalesce((select max(first) from skep_audit_leaves where log = $1 and first <= $2), 0)
     order by first limit 1024) near
) picked where no = 1 or total <= $4 order by first`;

/** The row of the log is written, which only its writer does. */
export const SAVE = `
with mine as (update skep_audit_log set writer = writer where log = $1 and writer = $2::uuid returning log), put as (
  insert into skep_audit_file (log, path, bytes, name)
  select mine.log, f.path, f.bytes, f.name from mine, unnest($3::text[], $4::bytea[], $5::bytea[]) as f (path, bytes, name) on conflict do nothing
)
select log from mine`;

export const PATHS = `select path, name from skep_audit_file where log = $1`;

/** By any of the names that a path has. */
export const FILE = `select path, name, bytes from skep_audit_file where log = $1 and path = any($2::text[]) limit 1`;
