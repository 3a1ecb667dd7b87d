/** Data directories that released versions wrote (test/fixtures/node-*), unpacked for a test. */
import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const fixtures = fileURLToPath(new URL('../fixtures/', import.meta.url));

/** By the version that wrote the directory; 0.1.0 is commit 85f7128. A release adds its own (CONTRIBUTING.md). */
export const OLD_VERSIONS = { '0.1.0': 'node-85f7128', '0.2.0': 'node-0.2.0' } as const;

export type OldVersion = keyof typeof OLD_VERSIONS;

export interface FoundFile {
  readonly tenant: string;
  readonly path: string;
  readonly sha256: string;
}

export interface FoundLog {
  readonly id: string;
  readonly size: number;
  readonly root: string;
  /** From the folder of the platform file on. */
  readonly directory: string;
  /** Its public key, PEM. */
  readonly key: string;
}

/** What must be found in the directory. */
export interface Found {
  readonly tenants: readonly string[];
  readonly password: string;
  readonly users: readonly { readonly tenant: string; readonly login: string }[];
  readonly mfa: { readonly tenant: string; readonly login: string; readonly secret: string; readonly recovery: string };
  readonly superadmin: { readonly tenant: string; readonly login: string };
  /** A key that an administrator made, with a name and addresses; absent where the version had no such keys. */
  readonly officeKey?: { readonly tenant: string; readonly key: string };
  /** Keys that are exchanged for service tokens, by tenant. */
  readonly serviceKeys: Readonly<Record<string, string>>;
  /** An access token that has ended; its key is still published. */
  readonly token: string;
  readonly jwks: readonly { readonly kid: string; readonly x: string }[];
  /** Rows by `<tenant> <entity> <id>`, and names of deleted ones. */
  readonly rows: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly deleted: readonly string[];
  readonly files: readonly FoundFile[];
  readonly assets: readonly FoundFile[];
  readonly documents: readonly string[];
  /** Submissions in intake. */
  readonly forms: number;
  /** Secrets of the first tenant. */
  readonly secrets: Readonly<Record<string, string>>;
  readonly authority: string;
  readonly serials: readonly string[];
  readonly joined: string;
  readonly workload: string;
  readonly logs: readonly FoundLog[];
}

export type HowItEnded = 'clean' | 'killed';

export interface OldDirectory {
  /** The folder with platform.yaml; the data directory is `data` in it. */
  readonly dir: string;
  readonly file: string;
  readonly found: Found;
  remove(): void;
}

/** Unpacks the directory of a node that was stopped (`clean`) or ended by SIGKILL (`killed`). */
export function unpackDirectory(how: HowItEnded, version: OldVersion = '0.1.0'): OldDirectory {
  const fixture = join(fixtures, OLD_VERSIONS[version]);
  const dir = mkdtempSync(join(tmpdir(), 'skep-old-'));
  cpSync(fixture, dir, { recursive: true, filter: (path) => !path.endsWith('.tar.gz') });
  chmodSync(join(dir, 'root.key'), 0o600); // git keeps no mode
  execFileSync('tar', ['-C', dir, '-xzSf', join(fixture, `${how}.tar.gz`)]);
  const found = JSON.parse(readFileSync(join(fixture, `${how}.json`), 'utf8')) as Found;
  return { dir, file: join(dir, 'platform.yaml'), found, remove: () => rmSync(dir, { recursive: true, force: true }) };
}
