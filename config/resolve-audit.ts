/** Resolves the audit part of a file: its paths, its address, and rules that involve several keys. Spec: docs/contract/audit.md §3. */
import { dirname, resolve } from 'node:path';
import { withPort } from './bind.ts';
import { LISTENER_ADDRESSES, defaults } from './defaults.ts';
import { hasLog } from './journal-problems.ts';
import type { AuditConfig, Platform, PlatformFile } from './platform.ts';
import { problemAt, type Path, type Problem } from './problem.ts';
import { pathFrom, portOf, type Surroundings } from './surroundings.ts';

type AuditFile = PlatformFile['audit'];

/** The directory that contains the logs of a file given to `skep audit`. */
export function auditHome(around: Surroundings, audit: AuditFile): string {
  return dirname(ownBase(around, audit));
}

/** The contract's `audit.base_dir` of such a file, or a node file's own key at the root of the part. */
function ownBase(around: Surroundings, audit: AuditFile): string {
  const inService = audit.audit.base_dir;
  if (inService !== undefined) return pathFrom(around, ['audit', 'audit', 'base_dir'], inService);
  return pathFrom(around, ['audit', 'base_dir'], audit.base_dir ?? defaults.audit.base_dir);
}

export function auditFrom(around: Surroundings, audit: AuditFile, dataDir: string): AuditConfig {
  const own = around.service === 'audit' || (audit.audit.base_dir ?? audit.base_dir) !== undefined;
  const under = (path: Path, value: string): string => pathFrom(around, ['audit', ...path], value);
  const badge = audit.vault.tls;
  const keys = around.service === 'audit' ? defaults.audit.own_key_dir : defaults.audit.key_dir;
  return {
    ...audit,
    base_dir: own ? ownBase(around, audit) : resolve(dataDir, defaults.audit.node_dir),
    key_dir: audit.key_dir === undefined ? resolve(dataDir, keys) : under(['key_dir'], audit.key_dir),
    sync: audit.sync.map((one, at) => ({
      ...one,
      targets: one.targets.map((target, no) => ({
        ...target,
        path: under(['sync', at, 'targets', no, 'path'], target.path),
      })),
    })),
    vault: {
      ...audit.vault,
      ...(audit.vault.ca !== undefined && { ca: under(['vault', 'ca'], audit.vault.ca) }),
      ...(badge !== undefined && {
        tls: {
          cert: under(['vault', 'tls', 'cert'], badge.cert),
          key: under(['vault', 'tls', 'key'], badge.key),
          ...(badge.ca !== undefined && { ca: under(['vault', 'tls', 'ca'], badge.ca) }),
        },
      }),
    },
    ...(audit.tls !== undefined && {
      tls: { cert: under(['tls', 'cert'], audit.tls.cert), key: under(['tls', 'key'], audit.tls.key) },
    }),
  };
}

/** The address: `host` and `port`, which SKEP_PORT_BASE overrides. */
export function auditBind(around: Surroundings, { host, port }: AuditFile): string {
  const address = host.includes(':') ? `[${host}]:0` : `${host}:0`;
  const standard = Number(LISTENER_ADDRESSES.audit.split(':')[1]);
  return portOf(around, 'audit', ['audit', 'port'], withPort(address, port ?? standard));
}

/** Records in the database of the log: what does not go together with them yet. */
function backendProblems(platform: Platform, say: (path: Path, message: string, mend: string) => void): void {
  const { audit } = platform;
  if (audit.backend.kind === 'files') return;
  if (!hasLog(platform))
    say(
      ['audit', 'backend', 'kind'],
      'records are kept in the database of the log, and the journal lies in files',
      'set storage.journal: { driver: postgres, url: … }, or leave out audit.backend',
    );
  for (const [at, { retention }] of audit.routing.entries())
    if (retention !== undefined)
      say(
        ['audit', 'routing', at, 'retention'],
        'records in the database are kept for ever, so that every node has the whole log',
        'leave out retention, or audit.backend',
      );
}

/** The audit listener speaks TLS only (docs/contract/audit.md §4.1); in a node's file the issuer is `jwks.issuers.iam`. */
export function auditProblems(platform: Platform, { tree }: Surroundings): Problem[] {
  const { audit, listeners, service, vault } = platform;
  const problems: Problem[] = [];
  const say = (path: Path, message: string, mend: string): void => {
    problems.push(problemAt(tree.placeOf(path, 'value'), path, message, mend));
  };
  if (audit.enabled && listeners.audit !== null && audit.tls === undefined)
    say(['audit', 'tls'], 'audit listens with TLS only', 'name the PEM files: tls: { cert: …, key: … }');
  if (service !== 'audit' && audit.issuer !== undefined)
    say(['audit', 'issuer'], 'a node has one issuer for all services', 'write it as jwks.issuers.iam');
  backendProblems(platform, say);
  const { url, tls } = audit.vault;
  if (url === undefined && tls !== undefined)
    say(
      ['audit', 'vault', 'tls'],
      'a certificate for no vault',
      'name the vault, too: vault: { url: https://…, tls: … }',
    );
  if (!audit.enabled || url === undefined) return problems;
  if (vault.enabled)
    say(
      ['audit', 'vault', 'url'],
      'this node has a vault of its own, where the keys lie',
      'remove audit.vault.url, or disable the vault',
    );
  else if (tls === undefined || !url.startsWith('https:'))
    say(
      ['audit', 'vault', 'url'],
      'a vault is asked over TLS, with a certificate',
      'write https://…, and name the PEM files: vault: { url: …, tls: { ca: …, cert: …, key: … } }; without url keys are files in key_dir',
    );
  return problems;
}
