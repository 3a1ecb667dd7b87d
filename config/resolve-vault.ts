/** Resolves the vault part of a file: its paths, its address, and rules that involve several keys. */
import { resolve } from 'node:path';
import { isLoopback, parseBind, withPort } from './bind.ts';
import { LISTENER_ADDRESSES, defaults } from './defaults.ts';
import { logServers } from './log-servers.ts';
import type { Platform, PlatformFile, VaultConfig } from './platform.ts';
import { problemAt, type Path, type Problem } from './problem.ts';
import { directoryOf, pathFrom, portOf, type Surroundings } from './surroundings.ts';

type VaultFile = PlatformFile['vault'];

export function vaultFrom(around: Surroundings, vault: VaultFile, dataDir: string): VaultConfig {
  const at = (path: Path, value: string): string => pathFrom(around, ['vault', ...path], value);
  const placed = <T extends Record<string, string | undefined>>(path: Path, files: T): T =>
    Object.fromEntries(
      Object.entries(files).map(([key, value]) => [key, value === undefined ? value : at([...path, key], value)]),
    ) as T;
  const { audit, backend, operators, policies, seal, tls } = vault;
  const rootKey = (name: 'current' | 'previous') => ({ ...seal[name], ...placedFile(seal[name].file, ['seal', name]) });
  const placedFile = (file: string | undefined, path: Path) =>
    file === undefined ? {} : { file: at([...path, 'file'], file) };
  return {
    ...vault,
    ...(tls !== undefined && { tls: placed(['tls'], tls) }),
    operators: placed(['operators'], operators),
    backend: {
      ...backend,
      dir:
        backend.dir === undefined ? resolve(dataDir, defaults.vault.backend.dir) : at(['backend', 'dir'], backend.dir),
      ...(backend.tls !== undefined && { tls: placed(['backend', 'tls'], backend.tls) }),
      password: { ...backend.password, ...placedFile(backend.password.file, ['backend', 'password']) },
    },
    audit: { ...audit, ...(audit.tls !== undefined && { tls: placed(['audit', 'tls'], audit.tls) }) },
    seal: { ...seal, current: rootKey('current'), previous: rootKey('previous') },
    policies: {
      dir:
        policies.dir === undefined
          ? resolve(directoryOf(around), defaults.vault.policies.dir)
          : at(['policies', 'dir'], policies.dir),
    },
    state_dir:
      vault.state_dir === undefined ? resolve(dataDir, defaults.vault.state_dir) : at(['state_dir'], vault.state_dir),
  };
}

/** The address: `host` and `port`, which SKEP_PORT_BASE overrides. */
export function vaultBind(around: Surroundings, { host, port }: VaultFile): string {
  const address = host.includes(':') ? `[${host}]:0` : `${host}:0`;
  const standard = Number(LISTENER_ADDRESSES.vault.split(':')[1]);
  return portOf(around, 'vault', ['vault', 'port'], withPort(address, port ?? standard));
}

/**
 * The address of the plain listener for the authority's public documents, beside the vault's TLS listener. Null where the file closes it, or where
 * the vault itself speaks plain HTTP.
 */
export function pkiBind(around: Surroundings, { host, pki, tls }: VaultFile, chosen: boolean): string | null {
  if (!chosen || !pki.listen || tls === undefined) return null;
  const address = host.includes(':') ? `[${host}]:0` : `${host}:0`;
  const standard = Number(LISTENER_ADDRESSES.pki.split(':')[1]);
  return portOf(around, 'pki', ['vault', 'pki', 'port'], withPort(address, pki.port ?? standard));
}

/** Where certificates send clients for revocation: to the plain listener where it is open, else to the vault itself. */
export function pkiUrlOf({ vault, listeners }: Pick<Platform, 'vault' | 'listeners'>): string | undefined {
  if (listeners.pki === null) return vault.public_url?.replace(/\/$/, '');
  if (vault.pki.url !== undefined) return vault.pki.url.replace(/\/$/, '');
  if (vault.public_url === undefined) return undefined;
  return `http://${new URL(vault.public_url).hostname}:${parseBind(listeners.pki)!.port}`;
}

/** The database in which a vault of kind `postgres` lies: its own, or that of the log. Null where none is named. */
export function vaultDatabase({
  vault: { backend },
  storage: { journal },
}: Pick<Platform, 'vault' | 'storage'>): { readonly url: string; readonly replication: 'strict' | 'managed' } | null {
  const { url, replication } = backend;
  if (url !== undefined) return { url, replication: replication ?? defaults.storage.journal.replication };
  if (journal.driver !== 'postgres' || journal.url === undefined) return null;
  return { url: journal.url, replication: replication ?? journal.replication };
}

function databaseProblems(platform: Platform, say: (key: string, message: string, mend: string) => void): void {
  const { kind, replication, url } = platform.vault.backend;
  if (kind !== 'postgres') {
    if (url !== undefined)
      say('url', `the secrets lie in ${kind}, and a database is named`, 'set kind: postgres, or leave out url');
    if (replication !== undefined)
      say('replication', `the secrets lie in ${kind}, which copies nothing`, 'set kind: postgres, or leave it out');
    return;
  }
  const database = vaultDatabase(platform);
  if (database === null)
    say(
      'kind',
      'the vault has no database',
      'name it: url: ${SKEP_VAULT_URL}, as postgres://user:password@host/name; where storage.journal names one, that is taken',
    );
  else if (logServers(database.url) === null)
    say(
      'url',
      'it is not the URL of a PostgreSQL',
      'write postgres://user:password@host/name, with several hosts as a:5432,b:5432; vault: cannot be read so early',
    );
}

/** Faults that a start must refuse, since they could not be mended later without damage. */
export function vaultProblems(platform: Platform, { tree }: Surroundings): Problem[] {
  const { audit, vault, listeners } = platform;
  if (!vault.enabled) return [];
  const problems: Problem[] = [];
  const say = (path: Path, message: string, mend: string): void => {
    problems.push(problemAt(tree.placeOf(['vault', ...path], 'value'), ['vault', ...path], message, mend));
  };
  if (vault.operators.crl !== undefined && vault.operators.ca === undefined)
    say(['operators', 'crl'], 'a revocation list without its issuer', 'name it, too: operators: { ca: …, crl: … }');
  const production = vault.profile === 'production';
  const { backend, seal, tls } = vault;
  if (production && backend.kind === 'file')
    say(
      ['backend', 'kind'],
      'production refuses the file backend',
      'use lmdb, etcd or postgres, or profile: development',
    );
  if (backend.kind === 'etcd' && backend.endpoints.length === 0)
    say(['backend', 'endpoints'], 'etcd has no endpoint', 'name one: endpoints: [https://127.0.0.1:2379]');
  databaseProblems(platform, (key, message, mend) => say(['backend', key], message, mend));
  const { file, env } = backend.password;
  if (
    (backend.user === undefined) !== (file === undefined && env === undefined) ||
    (file !== undefined && env !== undefined)
  )
    say(
      ['backend', backend.user === undefined ? 'password' : 'user'],
      'a user of etcd has a name and one source of its password',
      'name both: user: skep, password: { file: ./etcd.password } (or env: NAME)',
    );
  for (const name of ['current', 'previous'] as const)
    if (seal[name].file !== undefined && seal[name].env !== undefined)
      say(['seal', name], 'a root key has one source', 'keep file or env');
  const { current } = seal;
  const hasKey = current.file !== undefined || current.env !== undefined;
  if (production && seal.kind === 'key' && !hasKey)
    say(['seal', 'current'], 'production needs a root key', 'name its file or env, or seal with kind: shamir');
  if (seal.kind === 'shamir' && hasKey)
    say(['seal', 'current'], 'a vault sealed with shares has no root key in its file', 'remove it, or use kind: key');
  const bind = listeners.vault;
  if (tls === undefined && (production || (bind !== null && !isLoopback(parseBind(bind)!.host))))
    say(
      ['tls'],
      'the vault listens with TLS only',
      'name the PEM files: tls: { cert: …, key: … }; only profile: development may leave TLS out, on loopback',
    );
  if (vault.pki.url?.startsWith('https:') === true)
    say(
      ['pki', 'url'],
      'what proves that a certificate still counts is fetched over plain HTTP (RFC 5280 §8): a client that checked TLS first would ask in circles',
      'write http://…',
    );
  const { endpoint, required, tls: badge } = vault.audit;
  if (endpoint !== undefined && (badge === undefined || !endpoint.startsWith('https:')))
    say(
      ['audit', 'endpoint'],
      'an audit service elsewhere is asked over TLS, with a certificate',
      'write https://…, and name the PEM files: audit: { tls: { ca: …, cert: …, key: … } }',
    );
  if (required && !audit.enabled && endpoint === undefined)
    say(
      ['audit', 'required'],
      'there is no audit log to wait for',
      'name one (audit.endpoint), or set audit.required: false',
    );
  return problems;
}
