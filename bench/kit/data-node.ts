/** Starts a node with empty places beside the demo's, in a directory that goes with it, and speaks to it as a service. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { AdminAnswer, AdminRequest } from '#runtime/admin-call.ts';
import { cityRows } from '#runtime/demo/rows.ts';
import { LAUNCHED_ARGS, LAUNCHED_ENV } from './as-launched.ts';
import { COLLECTING } from './collect.ts';
import { exchangeToken } from './dev-file.ts';
import type { Checkout } from './bench-product.ts';
import type { Options } from './options.ts';
import { profiling } from './server.ts';

export const BUSY_TENANT = 'acme:bench:dev:busy';
export const QUIET_TENANT = 'acme:bench:dev:quiet';

/** The busy tenant's administrator. */
export const ADMIN = { login: 'admin@bench.example', password: 'correct horse battery' };

/** What webhooks of the product `posts` are signed with. */
const HOOK_SECRET = 'webhooks of the bench';

/** To the node's process: makes a backup of the busy tenant in this file. */
export interface BackupRequest {
  readonly backup: string;
}

export interface DataNode {
  readonly gateway: string;
  /** Of its process. */
  readonly pid: number;
  /** The console's listener, where it was wished for; null elsewhere. */
  readonly console: string | null;
  /** The listener of its metrics. */
  readonly operations: string;
  /** An API key of the busy tenant's user, and the key that is exchanged for its service tokens. */
  readonly userKey: string;
  readonly serviceKey: string;
  /** The checkout of both tenants, to be edited. */
  readonly product: string;
  /** Position and a fresh service token. */
  headers(tenant?: string): Promise<Record<string, string>>;
  /** The busy tenant's position and a fresh token of its administrator. */
  adminHeaders(): Promise<Record<string, string>>;
  /** Makes a backup of the busy tenant, in a directory that goes with the node; its bytes. */
  backup(): Promise<number>;
  /** Resident bytes of the node's process once its garbage is collected, that of all threads. */
  residentBytes(): Promise<number>;
  /** Calls a row of the admin plane in the node's own name, one at a time. */
  admin(request: AdminRequest): Promise<AdminAnswer>;
}

interface Ready {
  readonly gateway: string;
  readonly console?: string;
  readonly operations: string;
  readonly userKey: string;
  readonly keys: Readonly<Record<string, string>>;
}

/** Where a node's checkout lies. */
export const productOf = (dir: string): string => join(dir, 'product');

/** The bench: where a node lies, how many hosts it has, whether it is profiled. */
interface Place {
  readonly dataDir: string;
  readonly options: Pick<Options, 'hosts'>;
  readonly profileDir?: string | undefined;
}

export interface NodeWish {
  /** Tenant hosts, unless the command line says otherwise. */
  readonly hosts?: number;
  /** Further keys of its platform file, as YAML. */
  readonly more?: string;
  /** The bench's own product, or that which attackers are let loose on. */
  readonly checkout?: Checkout;
  /** With the console, and an operator who logs in there as the administrator does. */
  readonly console?: boolean;
  /** Port of the upstream of its product's BFF, which it has where there is one. */
  readonly upstreamPort?: number;
}

/** The keys of its platform file that differ from node to node. */
export function settingsText(place: Place, { hosts: wished, more = '' }: NodeWish): string {
  const hosts = place.options.hosts ?? wished;
  return hosts === undefined ? more : `hosts: ${hosts}\n${more}`;
}

/** Runs `work` with a node that is ended and removed afterwards. */
export async function withDataNode<T>(
  place: Place,
  work: (node: DataNode) => Promise<T>,
  wish: NodeWish = {},
): Promise<T> {
  const { dataDir, profileDir } = place;
  const { upstreamPort } = wish;
  const dir = await mkdtemp(join(dataDir, 'places-'));
  const { checkout = 'product' } = wish;
  const args = [
    dir,
    settingsText(place, wish),
    checkout,
    wish.console === true ? 'console' : '',
    ...(upstreamPort === undefined ? [] : [String(upstreamPort)]),
  ];
  const child = fork(new URL('./data-node.process.ts', import.meta.url), args, {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    execArgv: [...process.execArgv, ...LAUNCHED_ARGS, ...COLLECTING],
    env: { ...process.env, ...LAUNCHED_ENV, SKEP_BENCH_HOOK: HOOK_SECRET, ...profiling(profileDir) },
  });
  const kill = (): void => void child.kill('SIGKILL');
  process.once('exit', kill);
  const ended = once(child, 'exit');
  try {
    const [ready] = (await Promise.race([
      once(child, 'message'),
      ended.then(([code]) => Promise.reject(new Error(`the node ended with ${String(code)}`))),
    ])) as [Ready];
    const admin = async (request: AdminRequest): Promise<AdminAnswer> => {
      child.send(request);
      const [{ answer }] = (await once(child, 'message')) as [{ answer: AdminAnswer }];
      return answer;
    };
    const backup = async (): Promise<number> => {
      child.send({ backup: join(dir, 'backup.skep') } satisfies BackupRequest);
      const [{ bytes }] = (await once(child, 'message')) as [{ bytes: number }];
      return bytes;
    };
    const residentBytes = async (): Promise<number> => {
      child.send('resident');
      const [{ residentBytes: bytes }] = (await once(child, 'message')) as [{ residentBytes: number }];
      return bytes;
    };
    return await work({
      residentBytes,
      gateway: ready.gateway,
      pid: child.pid!,
      console: ready.console ?? null,
      operations: ready.operations,
      userKey: ready.userKey,
      serviceKey: ready.keys[BUSY_TENANT]!,
      product: productOf(dir),
      headers: (tenant = BUSY_TENANT) => headersOf(ready, tenant),
      adminHeaders: () => adminHeadersOf(ready),
      admin,
      backup,
    });
  } finally {
    if (child.connected) child.send('stop');
    await ended;
    process.off('exit', kill);
    await rm(dir, { recursive: true, force: true });
  }
}

function positionOf(tenant: string): Record<string, string> {
  const [customer = '', product = '', env = '', name = ''] = tenant.split(':');
  return { 'X-Customer': customer, 'X-Product': product, 'X-Env': env, 'X-Tenant': name };
}

async function adminHeadersOf({ gateway }: Ready): Promise<Record<string, string>> {
  const headers = positionOf(BUSY_TENANT);
  const answer = await fetch(`${gateway}/auth/login`, {
    method: 'POST',
    headers: { ...headers, 'Content-Type': 'application/json' },
    body: JSON.stringify(ADMIN),
  });
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(`the login answered ${answer.status} ${text.slice(0, 300)}`);
  return { ...headers, Authorization: `Bearer ${(JSON.parse(text) as { access_token: string }).access_token}` };
}

async function headersOf({ gateway, keys }: Ready, tenant: string): Promise<Record<string, string>> {
  const headers = positionOf(tenant);
  const token = await exchangeToken({ gateway, headers, service_key: keys[tenant]! });
  return { ...headers, Authorization: `Bearer ${token}` };
}

/** The demo's cities as places, in JSON lines, and how many they are. */
export async function placeLines(): Promise<{ readonly lines: Buffer; readonly rows: number }> {
  const rows = (await cityRows()) as readonly Record<string, unknown>[];
  const place = ({
    country_id: country,
    name,
    population,
    latitude,
    longitude,
    feature_code: code,
  }: (typeof rows)[0]) => JSON.stringify({ country, name, population, latitude, longitude, feature_code: code });
  return { lines: Buffer.from(rows.map(place).join('\n')), rows: rows.length };
}

/** Imports lines; rows a second. */
export async function importLines(
  node: DataNode,
  { lines, rows }: { readonly lines: Buffer; readonly rows: number },
  tenant = BUSY_TENANT,
  entity = 'place',
): Promise<number> {
  const headers = await node.headers(tenant);
  const began = performance.now();
  const answer = await fetch(`${node.gateway}/data/bulk?entity=${entity}&format=jsonl`, {
    method: 'POST',
    headers,
    body: lines,
  });
  const text = await answer.text();
  const { imported } = answer.ok ? (JSON.parse(text) as { imported: number }) : { imported: -1 };
  if (imported !== rows) throw new Error(`the import answered ${answer.status} ${text.slice(0, 500)}`);
  return (rows * 1000) / (performance.now() - began);
}

/** Imports until so many rows are there; a part of the lines at the end. */
export async function fillPlaces(node: DataNode, present: number, wanted: number): Promise<void> {
  const all = await placeLines();
  const lines = all.lines.toString().split('\n');
  return fill(node, 'place', { present, wanted, chunk: all.rows }, (_from, rows) =>
    rows === all.rows ? all.lines : Buffer.from(lines.slice(0, rows).join('\n')),
  );
}

export interface Filling {
  readonly present: number;
  readonly wanted: number;
  /** Rows of one import. */
  readonly chunk: number;
}

/** Imports rows of an entity until so many are there; `lines` makes some, the first with this number. */
export async function fill(
  node: DataNode,
  entity: string,
  { present, wanted, chunk }: Filling,
  lines: (from: number, rows: number) => Buffer,
): Promise<void> {
  for (let there = present; there < wanted;) {
    const rows = Math.min(chunk, wanted - there);
    await importLines(node, { lines: lines(there, rows), rows }, BUSY_TENANT, entity);
    there += rows;
  }
}
