/** Two machines whose nodes share a log in a PostgreSQL with a synchronous standby: their platform files, and processes of them that serve or wait. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createTables } from '#storage/log-engine/postgres/create.ts';
import { LinkAuthority } from './link-papers.ts';
import { writePlatformFile, type PlatformWish } from './platform-file.ts';
import { PostgresPair } from './postgres-server.ts';
import { startProcess, type ProcessNode } from './process-node.ts';
import { startTestNode, type TestNode } from './test-node.ts';
import { freePort } from './free-port.ts';

const SHOP = fileURLToPath(new URL('./products/shop/', import.meta.url));
const START_MS = 60_000;
const LOOK_MS = 20;

/** A machine's file, and where its operations listener is, also while it waits. */
export interface PairMachine {
  readonly name: string;
  readonly file: string;
  /** Its data directory. */
  readonly data: string;
  readonly operations: string;
  /** Where it serves, when it does. */
  readonly gateway: string;
}

export interface NodePairWish {
  readonly shards: number;
  readonly leaseMs: number;
  /** `cluster.reads`; the default when absent. */
  readonly reads?: string;
  /** Whether a place of copies is named, below the root. */
  readonly hasCopies?: boolean;
  /** The shop's tenants further than those of every test; none when absent. */
  readonly further?: readonly string[];
  /** Tenant hosts; one when absent. */
  readonly hosts?: number;
  /** Whether the database waits for its disk, as where it is measured. */
  readonly isDurable?: boolean;
  /** Whether the nodes have links, so that the doors of the one that waits are open. */
  readonly hasLinks?: boolean;
  /** Where the link of the first machine listens, and the address that the other one is told; the same port when absent. */
  readonly firstLink?: { readonly bind: number; readonly address: number };
  /** Whether each node carries hosts of the other one, in how many places; their files lie in one place then. */
  readonly places?: number;
  /** More keys of `storage.journal` in the files of the machines, in one line; the log is prepared without them. */
  readonly journal?: string;
  /** What their platform files say besides. */
  readonly platform?: Pick<PlatformWish, 'cors' | 'forms' | 'intake' | 'listeners' | 'localdir' | 'rates' | 'sites'>;
  /** More top-level lines of the file of a machine, by its name. */
  readonly extra?: (name: string) => string;
  /** Users that are made before a node serves. */
  readonly people?: readonly Person[];
}

interface Person {
  readonly tenant: string;
  readonly login: string;
  readonly password: string;
  readonly roles: readonly string[];
}

/** A process that waits: `serves` resolves when it serves. */
export interface Waiting {
  readonly pid: number;
  readonly serves: Promise<ProcessNode>;
}

type Env = Readonly<Record<string, string>>;

export class NodePair {
  readonly root: string;
  readonly database: PostgresPair;
  /** Of a service account of the tenant. */
  readonly key: string;
  /** Likewise of each of the further tenants. */
  readonly keys: ReadonlyMap<string, string>;
  readonly machines: readonly [PairMachine, PairMachine];

  /** How nodes that were started to wait have ended before they served, and what they had said. */
  readonly ended: string[] = [];
  readonly #started: number[] = [];

  readonly #further: (name: string) => Promise<PairMachine>;

  private constructor(
    root: string,
    database: PostgresPair,
    keys: Keys,
    machines: readonly [PairMachine, PairMachine],
    further: (name: string) => Promise<PairMachine>,
  ) {
    this.#further = further;
    this.root = root;
    this.database = database;
    this.key = keys.first;
    this.keys = keys.further;
    this.machines = machines;
  }

  /** Makes the database and a log with a tenant in it, whose stores lie on the first machine. No node runs. */
  static async start(wish: NodePairWish): Promise<NodePair> {
    const root = mkdtempSync(join(tmpdir(), 'skep-pair-'));
    const database = await PostgresPair.start({ isDurable: wish.isDurable ?? false });
    try {
      return await NodePair.#over(root, database, wish);
    } catch (error) {
      await database.stop();
      rmSync(root, { recursive: true, force: true });
      throw error;
    }
  }

  static async #over(root: string, database: PostgresPair, wish: NodePairWish): Promise<NodePair> {
    const { url } = database.primary;
    const copies = join(root, 'copies');
    mkdirSync(copies);
    const snapshots = wish.hasCopies === true ? `, snapshots: { to: "${copies}" }` : '';
    const storage = `journal: { driver: postgres, url: "${url}"${snapshots} }`;
    await createTables({ url, replication: 'strict', answerMs: START_MS }, wish.shards);
    mkdirSync(join(root, 'n1'));
    const prepared = await startTestNode({ dir: join(root, 'n1'), storage, ...platformWish(wish) });
    const keys = await keysOf(prepared, wish.further ?? []);
    for (const { tenant, ...person } of wish.people ?? [])
      await prepared.node.ask(tenant, 'identity', 'user.ensure', person);
    await prepared.stop();
    const own = wish.journal === undefined ? storage : storage.replace(/ }$/, `, ${wish.journal} }`);
    const machines = [await machineIn(root, 'n1', own, wish), await machineIn(root, 'n2', own, wish)] as const;
    return new NodePair(root, database, keys, machines, (name) => machineIn(root, name, own, wish));
  }

  /** A machine beside the two, likewise. */
  another(name: string): Promise<PairMachine> {
    return this.#further(name);
  }

  /** Starts a node; resolves when it serves. `env`: variables of its own. */
  serve(machine: PairMachine, spawned: (pid: number) => void = () => undefined, env: Env = {}): Promise<ProcessNode> {
    return startProcess(machine.file, env, [], [], (pid) => {
      this.#started.push(pid);
      spawned(pid);
    });
  }

  /** Starts a node that waits; resolves when it says so. */
  async standby(machine: PairMachine, env: Env = {}): Promise<Waiting> {
    let pid = 0;
    const serves = this.serve(machine, (spawned) => (pid = spawned), env);
    serves.catch((error: unknown) => this.ended.push(`${machine.name}: ${String(error)}`));
    await until(machine, (text) => text.includes('standby, '));
    return { serves, pid };
  }

  /** Resolves when the doors of a node answer, its own or, with links, those of one that waits. */
  async open({ gateway, name }: PairMachine): Promise<void> {
    const end = performance.now() + START_MS;
    for (let status = 0; status !== 200;) {
      if (performance.now() > end) throw new Error(`the gateway of ${name} says ${status} after ${START_MS} ms`);
      status = await fetch(`${gateway}/ready`).then(
        (answer) => answer.status,
        () => 0,
      );
      if (status !== 200) await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
  }

  /** Resolves when a node that waits says that it had all, and that at most so many entries are missing. */
  async followed(machine: PairMachine, behindMax: number, ms = START_MS): Promise<void> {
    const isThere = (text: string): boolean => {
      const said = /(\d+) entr(?:y|ies) behind, had all/.exec(text);
      return said !== null && Number(said[1]) <= behindMax;
    };
    await until(machine, isThere, ms);
  }

  /** Resolves when a node that waits says that its threads have loaded what they need. */
  async ready(machine: PairMachine): Promise<void> {
    await until(machine, (text) => text.includes(', threads ready'));
  }

  /** Ends what a test that failed has left running. */
  async stop(): Promise<void> {
    for (const started of this.#started) endIfThere(started);
    await this.database.stop();
    rmSync(this.root, { recursive: true, force: true });
  }
}

interface Keys {
  readonly first: string;
  readonly further: ReadonlyMap<string, string>;
}

async function keysOf({ node, serviceKey }: TestNode, tenants: readonly string[]): Promise<Keys> {
  const further = new Map<string, string>();
  for (const tenant of tenants) {
    await node.provision(tenant);
    const [customer, product, env, name] = tenant.split(':');
    const wish = { service: 'test', capabilities: { scope: [`${customer}:${env}:${product}:${name}`] } };
    further.set(tenant, ((await node.ask(tenant, 'identity', 'key.issue', wish)) as { key: string }).key);
  }
  return { first: serviceKey, further };
}

function platformWish({ further = [], hosts = 1, platform = {} }: NodePairWish): PlatformWish {
  const tenant = further.map((key) => `    - key: ${key}\n      meta: { localdir: ${SHOP} }\n`).join('');
  return { ...platform, hosts, tenant };
}

async function machineIn(root: string, name: string, storage: string, wish: NodePairWish): Promise<PairMachine> {
  const dir = join(root, name);
  mkdirSync(dir, { recursive: true });
  const { leaseMs, reads } = wish;
  const more = reads === undefined ? '' : `, reads: ${reads}`;
  const link = wish.hasLinks === true ? linkOf(root, name, await linkPorts(wish, name)) : '';
  const carry = wish.places === undefined ? '' : `, files: shared, carry: true, places: ${wish.places}`;
  if (wish.places !== undefined) shareFiles(root, dir);
  const extra = `cluster: { node: ${name}, lease: ${leaseMs}ms${more}${link}${carry} }\n${wish.extra?.(name) ?? ''}`;
  const file = writePlatformFile(dir, { storage, extra, ...platformWish(wish) });
  const [operations, gateway] = [await freePort(), await freePort()];
  const text = readFileSync(file, 'utf8')
    .replace('operations: { bind: 127.0.0.1:0 }', `operations: { bind: 127.0.0.1:${operations} }`)
    .replace('gateway: { bind: 127.0.0.1:0,', `gateway: { bind: 127.0.0.1:${gateway},`);
  writeFileSync(file, text);
  const url = (port: number): string => `http://127.0.0.1:${port}`;
  return { name, file, data: join(dir, 'data'), operations: url(operations), gateway: url(gateway) };
}

/** The folders of files of a machine below `root` are those of the first one, as on a file system that both have. */
export function shareFiles(root: string, dir: string): void {
  for (const name of ['blobs', 'content', 'revisions']) {
    const [shared, own] = [join(root, 'n1', 'data', name), join(dir, 'data', name)];
    mkdirSync(shared, { recursive: true });
    if (shared === own) continue;
    mkdirSync(join(dir, 'data'), { recursive: true });
    symlinkSync(shared, own);
  }
}

async function linkPorts({ firstLink }: NodePairWish, name: string): Promise<NonNullable<typeof firstLink>> {
  if (name === 'n1' && firstLink !== undefined) return firstLink;
  const bind = await freePort();
  return { bind, address: bind };
}

function linkOf(root: string, name: string, { address, bind }: NonNullable<NodePairWish['firstLink']>): string {
  const dir = join(root, 'papers');
  mkdirSync(dir, { recursive: true });
  const { ca, certificate, key } = LinkAuthority.in(dir).pair(name);
  const at = `bind: "127.0.0.1:${bind}", address: "127.0.0.1:${address}"`;
  return `, link: { ${at}, certificate: "${certificate}", key: "${key}", ca: "${ca}" }`;
}

/** What `/readyz` says; '' while nothing listens. */
export async function readiness({ operations }: Pick<PairMachine, 'operations'>): Promise<string> {
  return fetch(`${operations}/readyz`).then(
    (answer) => answer.text(),
    () => '',
  );
}

/** Waits for what a machine's `/readyz` says; rejects when that does not come within so many milliseconds. */
async function until(machine: PairMachine, says: (text: string) => boolean, ms = START_MS): Promise<void> {
  const end = performance.now() + ms;
  for (let text = ''; !says((text = await readiness(machine)));) {
    if (performance.now() > end) throw new Error(`${machine.name} says after ${ms} ms: ${JSON.stringify(text)}`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

function endIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // it has ended
  }
}
