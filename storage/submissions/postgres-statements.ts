/** The tables of submissions in the PostgreSQL of the log, and each statement about them. Numbers of 64 bits come back as text. */

/**
 * `skep_intake` has one row: whose the store is (`epoch`), how many changes it has had (`no`), and where its chain ends. Each change raises `no`, so that changes of two owners come one behind the other, and half of its page stays free, as with rows of
 * shards (../log-engine/postgres/statements.ts). A line is its place in the chain: `body` is the JSON object of the line, null where it has expired or was erased (`gone` 2, 1); `id` and `form` are null where a line is
 * no submission. Of a sealed line (./sealed-lines.ts) `body` is sealed, `key` is what is sealed of key and digest, in base64, and `digest` null; `seal_mark` says where those begin. What waits for the courier or a tenant lies beside it, by its id.
 */
export const TABLES = `
create table if not exists skep_intake_line (
  seq bigint primary key, id text collate "C", form text collate "C", at bigint not null, gone smallint not null default 0,
  key text collate "C", digest text, hash bytea not null, body bytea);
create unique index if not exists skep_intake_id on skep_intake_line (id);
create index if not exists skep_intake_of_form on skep_intake_line (form, seq) where gone = 0;
create index if not exists skep_intake_key on skep_intake_line (at) where key is not null;
create table if not exists skep_intake_waiting (
  id text collate "C" not null, kind text not null, form text not null, tenant text, primary key (id, kind));
create table if not exists skep_intake_keeper (tenant text primary key);
create table if not exists skep_intake_form (form text primary key, columns text not null);
create table if not exists skep_intake (
  one boolean primary key default true check (one), epoch bigint not null default 0, token uuid, no bigint not null default 0, seq bigint not null default 0, chain bytea not null,
  first bigint not null default 1, base bytea not null, last_id text not null default '', seal_mark bytea
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);
alter table skep_intake add column if not exists seal_mark bytea;
insert into skep_intake (chain, base) values (decode(repeat('00', 32), 'hex'), decode(repeat('00', 32), 'hex')) on conflict do nothing;
`;

export const HAS_TABLES = `select to_regclass('skep_intake') is not null as exists`;

/** Whether they have every column, too: tables of before gain what they lack. */
export const ARE_WHOLE = `select exists (select from pg_attribute where attrelid = to_regclass('skep_intake') and attname = 'seal_mark') as exists`;

export const HAS_SUBMISSIONS = `select exists (select from skep_intake_line where gone = 0 and form is not null) as exists`;

/** Makers of the tables wait for each other: "if not exists" alone lets two of them collide. */
export const LOCK = `select pg_advisory_xact_lock(hashtext('skep_intake'))`;

const HEAD = `epoch, no, seq, encode(chain, 'hex') as chain, first, encode(base, 'hex') as base, last_id, seal_mark`;

export const LOOK = `select ${HEAD} from skep_intake`;

/** As LOOK, and the row is written as it is: what it shows is on all copies when that is acknowledged. */
export const LOOK_DURABLY = `update skep_intake set epoch = epoch returning ${HEAD}`;

/** By compare-and-set on the epoch that was seen. Of a node that has a name ($3) only while none of another name serves: one that has lost its place, and does not know yet, would end the one that serves. */
export const claim = (isNode: boolean): string => `
update skep_intake set epoch = epoch + 1, token = $2 where epoch = $1 ${
  isNode
    ? `and not exists (select from skep_serving s join skep_node n using (incarnation) where n.node <> $3)`
    : 'and $3::text is null'
} returning ${HEAD}`;

/** Finds the claim of this token again, and writes its row. */
export const CLAIM_AGAIN = `update skep_intake set token = token where epoch = $1 + 1 and token = $2 returning ${HEAD}`;

/**
 * A batch of the owner: lines behind those that it knows ($1 epoch, $2 the changes before it, $3 and $4 the end of the chain behind it), with what waits for them, and what else has become due. It is whole, or changes nothing: everything hangs on the
 * row of the head, which is compared once more when it is locked. The name of a standby is asked for in the statement itself, as for an append to the log ($6: whether one is demanded).
 */
export const COMMIT = `
with now as (
  update skep_intake h set no = h.no + 1, seq = $3, chain = $4, last_id = greatest(h.last_id, $5::text collate "C"), first = coalesce($25::bigint, h.first), base = coalesce($26::bytea, h.base), seal_mark = coalesce(h.seal_mark, $28::bytea)
   where h.epoch = $1 and h.no = $2 and (not $6::bool or current_setting('synchronous_standby_names') <> '')
  returning h.seq
), lines as (
  insert into skep_intake_line (seq, id, form, at, key, digest, hash, body)
  select l.* from now, unnest($7::bigint[], $8::text[], $9::text[], $10::bigint[], $11::text[], $12::text[], $13::bytea[], $14::bytea[]) as l
), waiting as (
  insert into skep_intake_waiting (id, kind, form, tenant)
  select w.* from now, unnest($15::text[], $16::text[], $17::text[], $18::text[]) as w on conflict do nothing
), settled as (
  delete from skep_intake_waiting w using now, unnest($19::text[], $20::text[]) as s (id, kind) where w.id = s.id and w.kind = s.kind
), kept as (
  insert into skep_intake_keeper (tenant) select k from now, unnest($21::text[]) as k on conflict do nothing
), gone as (
  update skep_intake_line l set gone = $23::smallint, body = null, key = case when $23::smallint = 1 then null else l.key end, digest = case when $23::smallint = 1 then null else l.digest end
    from now where l.seq = any($22::bigint[]) and l.gone = 0 returning l.id
), dropped as (
  delete from skep_intake_waiting w using gone g where w.id = g.id
), trimmed as (
  delete from skep_intake_line l using now where l.seq < $25::bigint
), forms as (
  insert into skep_intake_form (form, columns) select f.* from now, unnest($24::text[], $27::text[]) as f on conflict (form) do update set columns = excluded.columns
)
select seq from now`;

const LINE = `l.seq, l.id, l.form, l.at, l.gone, l.key, l.digest, encode(l.hash, 'hex') as hash, l.body`;

/** Lines behind a place, in the order of the chain. Bounded by bytes: the first one always comes. */
export const LINES = `
select * from (select ${LINE}, sum(coalesce(length(l.body), 0)) over (order by l.seq) - coalesce(length(l.body), 0) as before
  from (select * from skep_intake_line where seq > $1 order by seq limit $2) l) l where before < $3 order by seq`;

/** Likewise of one form, without those that are gone. */
export const LINES_OF = `
select * from (select ${LINE}, sum(length(l.body)) over (order by l.seq) - length(l.body) as before
  from (select * from skep_intake_line where form = $4 and gone = 0 and seq > $1 order by seq limit $2) l) l where before < $3 order by seq`;

/** Places of the oldest lines of a form that came before $2. */
export const EXPIRED = `select seq from skep_intake_line where form = $1 and gone = 0 and at <= $2 order by seq limit $3`;

/** The oldest lines, without what they say. */
export const OLDEST = `select seq, id, at, gone, encode(hash, 'hex') as hash from skep_intake_line order by seq limit $1`;

/** The newest uses of idempotency keys, newest first. */
export const KEYS = `select seq, form, key, id, at, digest from skep_intake_line where key is not null and at > $1 order by at desc limit $2`;

export const WAITING = `select w.id, w.kind, w.form, w.tenant from skep_intake_waiting w order by w.id`;

export const KEEPERS = `select tenant from skep_intake_keeper order by tenant`;

export const FORMS = `select form, columns from skep_intake_form`;

export const BODIES = `select seq, id, form, at, body from skep_intake_line where id = any($1::text[]) and gone = 0`;

export const KNOWN = `select id from skep_intake_line where id = any($1::text[])`;
