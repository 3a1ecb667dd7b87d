/** A platform for tests: every listener on a free port, small segments, the shop product, two tenants. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { limits } from '#config/limits.ts';

const products = fileURLToPath(new URL('./products/', import.meta.url));

export interface PlatformWish {
  readonly hosts?: number;
  readonly bootstrapToken?: string;
  /** Extra top-level YAML. */
  readonly extra?: string;
  /** `rates:` lines; every profile is off when absent, so that tests do not wait for buckets. */
  readonly rates?: string;
  /** Product checkout of the two tenants; the shop when absent. */
  readonly localdir?: string;
  /** Lines under `intake:`; limits that no test meets by accident when absent. */
  readonly intake?: string;
  /** `intake.forms`; the shop's when absent. */
  readonly forms?: string;
  /** `gateway.cors`, as a map in one line; none when absent. */
  readonly cors?: string;
  /** More lines of `listeners`. */
  readonly listeners?: string;
  /** More keys of `gateway`, in one line. */
  readonly gateway?: string;
  /** `gateway.sites`, as a map in one line; none when absent. */
  readonly sites?: string;
  /** More keys of `storage`, in one line. */
  readonly storage?: string;
  /** More lines of the first tenant's node. */
  readonly tenant?: string;
  /** `jwks.issuers.iam`; null for no entry, this node when absent. */
  readonly issuer?: string | null;
}

export const TENANT = 'acme:shop:dev:main';
export const OTHER_TENANT = 'acme:shop:dev:other';

const ALL_OFF = Object.keys(limits.rates)
  .map((profile) => `  ${profile}: off\n`)
  .join('');

/** Writes a platform file into `dir` and gives its path; the data directory lies beside it. */
export function writePlatformFile(dir: string, wish: PlatformWish = {}): string {
  const path = join(dir, 'platform.yaml');
  const localdir = wish.localdir ?? join(products, 'shop');
  const issuers = wish.issuer === null ? '{}' : `{ iam: "${wish.issuer ?? 'self'}" }`;
  writeFileSync(
    path,
    `hosts: ${wish.hosts ?? 1}
gateway: { bind: 127.0.0.1:0, drain_notice: 0s, cors: ${wish.cors ?? '{}'}, sites: ${wish.sites ?? '{}'}, ${wish.gateway ?? ''} }
listeners:
  operations: { bind: 127.0.0.1:0 }
  intake: { bind: 127.0.0.1:0 }
  data: { bind: 127.0.0.1:0 }
  identity: { bind: 127.0.0.1:0 }
  bff: { bind: 127.0.0.1:0 }
${wish.listeners ?? ''}jwks: { issuers: ${issuers} }
bootstrap: { token: ${wish.bootstrapToken ?? 'bootstrap-secret'} }
storage: { dir: ${join(dir, 'data')}, segment_bytes: 1048576, free_bytes_min: 0, ballast_bytes: 0, ${wish.storage ?? ''} }
log: { level: ${process.env['SKEP_TEST_LOG'] ?? 'silent'} }
rates:
${wish.rates ?? ALL_OFF}
hives:
  tenant:
    - key: ${TENANT}
      meta: { localdir: ${localdir} }
${wish.tenant ?? ''}    - key: ${OTHER_TENANT}
      meta: { localdir: ${localdir} }
    - key: acme:shop:dev:sleeping
      meta: { localdir: ${join(products, 'shop')} }
intake:
  forms: ${wish.forms ?? `{ dir: ${join(products, 'shop', 'forms')} }`}
${wish.intake ?? '  ratelimit: { per_ip: 100000, per_ip_burst: 100000, global: 100000, global_burst: 100000 }'}
${wish.extra ?? ''}
`,
  );
  return path;
}
