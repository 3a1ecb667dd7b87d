/** A node that serves and one that stands by with its doors open, on one log; the link between them goes through a proxy. Both have a vault in the database, audit logs, and a site with cookies and pages. */
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CONTROL_PLANE } from '#actors/protocol/position.ts';
import { Session } from '#storage/log-engine/postgres/session.ts';
import { createVaultTables } from '#storage/vault/postgres-tables.ts';
import { CuttingProxy } from '#test/kit/cutting-proxy.ts';
import { freePort } from '#test/kit/free-port.ts';
import { HiveVault, TRUST_DOMAIN } from '#test/kit/hive-vault.ts';
import { NodePair, type PairMachine, type Waiting } from '#test/kit/node-pair.ts';
import { writeNoteProduct } from '#test/kit/note-product.ts';
import { OTHER_TENANT, TENANT } from '#test/kit/platform-file.ts';
import type { ProcessNode } from '#test/kit/process-node.ts';
import { call, exchange, positionHeaders, type Headers } from '#test/kit/test-node.ts';

const SHOP = fileURLToPath(new URL('../../kit/products/shop/', import.meta.url));
/** Whether the node that stands by runs hosts of the other one, so that its door asks its own: SKEP_FAR_CARRY=1. */
const CARRIES = process.env['SKEP_FAR_CARRY'] === '1';
const LEASE_MS = 4000;
const START_MS = 60_000;
const PASSWORD = 'correct horse battery';
/** Logins at a tenant before the next ones are refused, at both doors together. */
export const LOGINS = 20;
/** At the other tenant, whose logins are its own. */
export const SITE = 'shop.example';
export const PAGE_ORIGIN = 'https://app.example';
export const ADMIN = { login: 'ann@example.org', password: PASSWORD };
const ROOT = { login: 'root@example.org', password: PASSWORD };

export class FarWorld {
  readonly pair: NodePair;
  /** Of the link. */
  readonly proxy: CuttingProxy;
  readonly vault: HiveVault;
  readonly first: ProcessNode;
  waits: Waiting;
  /** The gateways. */
  readonly near: string;
  readonly far: string;
  /** A service's, of the tenant of every test. */
  readonly headers: Headers;
  readonly #dir: string;
  readonly #vaults: Readonly<Record<string, string>>;

  static async start(): Promise<FarWorld> {
    const dir = mkdtempSync(join(tmpdir(), 'skep-far-'));
    const localdir = writeNoteProduct(dir);
    cpSync(SHOP, localdir, { recursive: true, filter: (path) => !path.endsWith('product.yaml') });
    mkdirSync(join(localdir, 'web'));
    writeFileSync(join(localdir, 'web', 'index.html'), '<!doctype html><title>shop</title>\n');
    writeFileSync(join(localdir, 'web', 'app.js'), `// ${'a long script '.repeat(100_000)}\n`);
    const rates = `  auth_login: { burst: ${LOGINS}, per_second: 0.0001 }\n  auth_token: off\n  auth_apikey: off\n`;
    const sites = `{ ${SITE}: { tenant: "${OTHER_TENANT}", cookies: true, web: true } }`;
    const cors = `{ shop: { origins: ["${PAGE_ORIGIN}"] } }`;
    const bind = await freePort();
    const proxy = new CuttingProxy(bind);
    const vault = new HiveVault();
    const vaults = { n1: await freePort(), n2: await freePort() };
    const pair = await NodePair.start({
      shards: 4,
      leaseMs: LEASE_MS,
      hasLinks: true,
      ...(CARRIES && { places: 4, hosts: 2 }),
      hasCopies: true,
      firstLink: { bind, address: await proxy.open() },
      platform: { localdir, rates, sites, cors },
      extra: (name) => `audit: { enabled: true, name: audit.example }\n${vaultOf(vault, name, vaults[name as 'n1'])}`,
      people: [
        { tenant: OTHER_TENANT, ...ADMIN, roles: ['tenant_admin', 'tenant_user'] },
        { tenant: CONTROL_PLANE, ...ROOT, roles: ['superadmin'] },
      ],
    });
    const session = await Session.open({ url: pair.database.primary.url, replication: 'strict', answerMs: START_MS });
    await createVaultTables(session, START_MS);
    session.close();
    const first = await pair.serve(pair.machines[0]);
    const waits = await pair.standby(pair.machines[1]);
    await pair.open(pair.machines[1]);
    const token = await exchange(pair.machines[1].gateway, pair.key);
    const headers = { ...positionHeaders(TENANT), Authorization: `Bearer ${token}` };
    return new FarWorld({ dir, pair, proxy, vault, vaults, first, waits, headers });
  }

  private constructor(parts: Parts) {
    const { dir, first, headers, pair, proxy, vault, vaults, waits } = parts;
    this.pair = pair;
    this.proxy = proxy;
    this.vault = vault;
    this.first = first;
    this.waits = waits;
    this.headers = headers;
    this.near = pair.machines[0].gateway;
    this.far = pair.machines[1].gateway;
    this.#dir = dir;
    this.#vaults = Object.fromEntries(
      Object.entries(vaults).map(([name, port]) => [name, `https://127.0.0.1:${port}`] as const),
    );
  }

  /** Calls of the vault go to the listener of this machine from now on. */
  vaultAt({ name }: PairMachine): HiveVault {
    this.vault.serveAt(this.#vaults[name]!);
    return this.vault;
  }

  /** A superadmin's headers, by a login at the far door. */
  root(): Promise<Headers> {
    return loginAt(this.far, CONTROL_PLANE, ROOT);
  }

  /** Of an administrator of the other tenant, likewise. */
  admin(): Promise<Headers> {
    return loginAt(this.far, OTHER_TENANT, ADMIN);
  }

  async stop(): Promise<void> {
    await this.pair.stop();
    this.proxy.close();
    this.vault.close();
    rmSync(this.#dir, { recursive: true, force: true });
  }
}

interface Parts extends Pick<FarWorld, 'first' | 'headers' | 'pair' | 'proxy' | 'vault' | 'waits'> {
  readonly dir: string;
  readonly vaults: Readonly<Record<string, number>>;
}

async function loginAt(door: string, tenant: string, who: typeof ROOT): Promise<Headers> {
  const { json, status, text } = await call(door, 'POST', '/auth/login', positionHeaders(tenant), who);
  if (status !== 200) throw new Error(`login: ${status} ${text}`);
  return { ...positionHeaders(tenant), Authorization: `Bearer ${(json as { access_token: string }).access_token}` };
}

function vaultOf(kit: HiveVault, name: string, port: number): string {
  return `vault:
  enabled: true
  sid: vault-${name}
  trust_domain: ${TRUST_DOMAIN}
  port: ${port}
  tls: { cert: ${kit.path('server.pem')}, key: ${kit.path('server.key')} }
  operators: { ca: ${kit.path('ca.pem')} }
  seal: { current: { file: ${kit.path('root.key')} } }
  backend: { kind: postgres }
  pki: { listen: false }
`;
}

/** The value of a metric without labels, or the sum of its samples; null where it is not shown. */
export async function metricOf({ operations }: Pick<PairMachine, 'operations'>, name: string): Promise<number | null> {
  const text = await (await fetch(`${operations}/metrics`)).text();
  const samples = [...text.matchAll(new RegExp(String.raw`^${name}(?:\{.*\})? (\S+)$`, 'gm'))];
  return samples.length === 0 ? null : samples.reduce((sum, [, value]) => sum + Number(value), 0);
}
