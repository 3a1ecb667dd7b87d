/** The node whose disk is recorded: rows, forms, assets and audit logs, in a directory that was served before. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { TENANT, writePlatformFile, type PlatformWish } from '#test/kit/platform-file.ts';
import { startTestNode } from '#test/kit/test-node.ts';

const products = fileURLToPath(new URL('../../kit/products/', import.meta.url));

/** Of the tenant. */
export const LOG = 'tenant/acme/shop/dev/main';
/** `audit.name` of the platform file. */
export const DEPLOYMENT = 'audit.example';
/** Few, so that logs are sealed while they are recorded. */
export const SEGMENT_RECORDS = 6;
const ADMIN = { login: 'admin@main.example', password: 'correct horse battery' };

export interface Site {
  /** Where everything lies. */
  readonly dir: string;
  readonly dataDir: string;
  readonly serviceKey: string;
  /** The platform file that serves a copy of the data directory, which is `data` in `at`. */
  platformAt(at: string): string;
}

export interface SiteWish {
  /** Whether there are audit logs; there are when absent. */
  readonly hasAudit?: boolean;
  /** More of the platform file that serves the data directory in `place`. */
  readonly extra?: (place: string) => string;
  /** More entities of the product: a file of theirs. */
  readonly entities?: string;
  /** More lines of the store for assets, and more stores. */
  readonly store?: string;
  readonly stores?: string;
}

/** Makes the directory: tenants are provisioned, and it was stopped in order. */
export async function makeSite(
  dir: string,
  { hasAudit = true, extra, entities, store = '', stores = '' }: SiteWish = {},
): Promise<Site> {
  const at = realpathSync(dir);
  const product = join(at, 'product');
  cpSync(join(products, 'shop'), product, { recursive: true });
  for (const part of ['stores', 'extend'])
    cpSync(join(products, 'magazine', 'content', part), join(product, 'content', part), { recursive: true });
  const file = join(product, 'content', 'stores', 'stores.yaml');
  writeFileSync(file, readFileSync(file, 'utf8').replace('type: native\n', `type: native\n${store}`) + stores);
  const out = ['-keyout', join(at, 'key.pem'), '-out', join(at, 'cert.pem')];
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1'];
  execFileSync('openssl', ['req', '-x509', '-newkey', 'ed25519', '-nodes', '-days', '2', ...out, ...subject], {
    stdio: 'ignore',
  });
  if (entities !== undefined) writeFileSync(join(product, 'entities', 'more.yaml'), entities);
  const audit = `audit:
  enabled: true
  name: ${DEPLOYMENT}
  tls: { cert: ${at}/cert.pem, key: ${at}/key.pem }
  routing:
    - { log_id_pattern: 'node/*', durability: async }
    - { log_id_pattern: 'tenant/**', durability: strict, segment_max_records: ${SEGMENT_RECORDS} }
`;
  const wish = (place: string): PlatformWish => ({
    localdir: product,
    extra: `${hasAudit ? audit : ''}${extra?.(place) ?? ''}`,
  });
  const node = await startTestNode({ ...wish(at), dir: at });
  await node.node.ask(TENANT, 'identity', 'user.ensure', { ...ADMIN, roles: ['tenant_admin'] });
  await node.stop();
  return {
    dir: at,
    dataDir: join(at, 'data'),
    serviceKey: node.serviceKey,
    platformAt: (place) => {
      mkdirSync(place, { recursive: true });
      return writePlatformFile(place, wish(place));
    },
  };
}
