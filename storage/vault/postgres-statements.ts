/** The tables of vaults in a PostgreSQL, and each statement that their store sends. Numbers of 64 bits come back as text. */

/** The newest commits whose tokens are kept, so that one whose answer was lost finds itself again. */
const TOKENS_KEPT = 4096;

/**
 * `skep_vault_head` has one row for each vault: every commit raises its revision, and every read writes it as it is, so that the acknowledgement waits for the copies. Half of its page stays free,
 * as with rows of shards (../log-engine/postgres/statements.ts). Paths are compared byte by byte.
 */
export const TABLES = `
create table if not exists skep_vault (
  vault text collate "C" not null, path text collate "C" not null, version bigint not null, value bytea not null, primary key (vault, path));
create table if not exists skep_vault_commit (
  vault text collate "C" not null, revision bigint not null, token uuid not null, primary key (vault, revision));
create index if not exists skep_vault_token on skep_vault_commit (token);
create table if not exists skep_vault_head (
  vault text collate "C" primary key, revision bigint not null default 0
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);
`;

export const HAS_TABLES = `select to_regclass('skep_vault_head') is not null as exists`;

/** Makers of the tables wait for each other: "if not exists" alone lets two of them collide. */
export const LOCK = `select pg_advisory_xact_lock(hashtext('skep_vault'))`;

export const BEGIN = `insert into skep_vault_head (vault) values ($1) on conflict do nothing`;

/** What of the expectations ($n: paths, $m: versions) does not hold, as of the statement's moment: the number of the first one. */
const wrong = (paths: string, versions: string): string => `
  select e.no from unnest(${paths}::text[], ${versions}::bigint[]) with ordinality as e (path, version, no)
    left join skep_vault v on v.vault = $1 and v.path = e.path
   where coalesce(v.version, 0) <> e.version order by e.no limit 1`;

/**
 * A commit behind the revision that its sender knows. The row of the head is compared as of the statement's moment and once more when it is locked: where it is the same, nothing was committed in between,
 * so that versions which were read at the statement's moment are the newest. The name of a standby is asked for in the statement itself, as for an append to the log.
 */
export const COMMIT = `
with now as (
  update skep_vault_head h set revision = h.revision + 1
   where h.vault = $1 and h.revision = $2 and not exists (${wrong('$4', '$5')})
     and (not $9::bool or current_setting('synchronous_standby_names') <> '')
  returning h.revision
), told as (
  insert into skep_vault_commit (vault, revision, token) select $1, revision, $3 from now
), forgotten as (
  delete from skep_vault_commit c using now where c.vault = $1 and c.revision <= now.revision - ${TOKENS_KEPT}
), gone as (
  delete from skep_vault v using now where v.vault = $1 and v.path = any($6::text[])
), put as (
  insert into skep_vault (vault, path, version, value)
  select $1, p.path, now.revision, p.value from now, unnest($7::text[], $8::bytea[]) as p (path, value)
  on conflict (vault, path) do update set version = excluded.version, value = excluded.value
)
select revision from now`;

/** Why a commit changed nothing: it was made before, what it expects is not so, or its sender knew an older revision. All of it as of one moment, but the row of the head, which is only written. */
export const LOOK = `
with now as (update skep_vault_head set revision = revision where vault = $1 returning vault)
select h.revision, (select c.revision from skep_vault_commit c where c.vault = $1 and c.token = $2) as mine, (${wrong('$3', '$4')}) as wrong
  from now join skep_vault_head h using (vault)`;

/** One row at least, without a path. */
export const GET = `
with now as (update skep_vault_head set revision = revision where vault = $1 returning vault)
select v.path, v.version, v.value from now left join skep_vault v on v.vault = now.vault and v.path = any($2::text[])`;

/** Likewise. Paths from $2 on, behind $3 and before $4. */
export const LIST = `
with now as (update skep_vault_head set revision = revision where vault = $1 returning vault)
select v.path, v.version, v.value from now left join lateral (
  select path, version, value from skep_vault where vault = $1 and path >= $2 and path > $3 and path < $4 order by path limit $5
) v on true order by v.path`;

export const HEALTH = `update skep_vault_head set revision = revision where vault = $1 returning revision`;
