/**
 * Two nodes, or three, on one log in a PostgreSQL with a synchronous standby, a link to it for each, and what clients of them need. Where they carry hosts of one another, the doors of each answer, and the links between them lead
 * through a relay that can be cut.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTables } from '#storage/log-engine/postgres/create.ts';
import { TENANT, writePlatformFile } from '#test/kit/platform-file.ts';
import { LinkAuthority } from '#test/kit/link-papers.ts';
import { shareFiles } from '#test/kit/node-pair.ts';
import { PostgresPair } from '#test/kit/postgres-server.ts';
import { call, exchange, positionHeaders, startTestNode, type Headers } from '#test/kit/test-node.ts';
import { writeRegisterProduct } from '#test/kit/register-product.ts';
import { startReceiver, type Receiver } from '#test/kit/webhook-receiver.ts';
import { Cable, SHARED_ADDRESS } from './cable.ts';
import { Link } from './link.ts';
import { NodeProcess } from './node-process.ts';
import { freePort } from '#test/kit/free-port.ts';

/** A machine with other work keeps nodes from beating for longer. */
const LEASE_MS = { alone: 3000, beside: 8000 } as const;
export const SHARDS = 4;
const SOON_MS = 180_000;
const WHOLE_LOOK_MS = 100;
const USER = { login: 'ann@shop.example', password: 'correct horse battery', roles: ['tenant_user'] };

interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
}

export interface WorldWish {
  readonly nodes: 2 | 3;
  /** Whether the nodes carry hosts of one another. */
  readonly isCarried: boolean;
  /**
   * Whether the machine is this cluster's: its databases wait for the disk, and nodes that carry no hosts have networks of their own, whose cables are pulled. Else links are cut in a relay alone, and several clusters
   * have room in one process.
   */
  readonly isAlone: boolean;
}

/** What its nodes stand on. */
interface Around {
  readonly dir: string;
  readonly pair: PostgresPair;
  readonly receiver: Receiver;
  readonly cables: readonly Cable[] | null;
}

export class World {
  readonly dir: string;
  readonly pair: PostgresPair;
  readonly receiver: Receiver;
  readonly nodes: readonly NodeProcess[];
  readonly leaseMs: number;
  readonly #serviceKey: string;
  /** Of a service, for clients; drawn again before it runs out. */
  headers: Headers = {};
  #session: Tokens | null = null;

  readonly #cables: readonly Cable[] | null;

  private constructor(
    dir: string,
    pair: PostgresPair,
    receiver: Receiver,
    nodes: readonly NodeProcess[],
    serviceKey: string,
    cables: readonly Cable[] | null,
    leaseMs: number,
  ) {
    this.leaseMs = leaseMs;
    this.#cables = cables;
    this.dir = dir;
    this.pair = pair;
    this.receiver = receiver;
    this.nodes = nodes;
    this.#serviceKey = serviceKey;
  }

  /** The first one serves, and answers reads also when its lease is over (`reads: local`), until it is started again; the others stand by. */
  static async start(wish: WorldWish): Promise<World> {
    const dir = mkdtempSync(join(tmpdir(), 'skep-cluster-'));
    // Nodes behind cables of their own do not reach each other.
    const hasCables = wish.isAlone && !wish.isCarried;
    const cables = hasCables ? Cable.lay(wish.nodes) : null;
    if (cables === null && hasCables)
      process.stderr.write('\nno network namespaces here: links are cut in a relay alone\n');
    const shared = cables === null ? '127.0.0.1' : SHARED_ADDRESS;
    const [pair, receiver] = await Promise.all([
      PostgresPair.start({ hasDisks: true, isAlone: wish.isAlone }),
      startReceiver(0, shared),
    ]);
    try {
      return await World.#over({ dir, pair, receiver, cables }, wish);
    } catch (error) {
      await Promise.all([pair.stop(), receiver.stop()]);
      throw error;
    }
  }

  static async #over(
    { cables, dir, pair, receiver }: Around,
    { nodes: count, isAlone, isCarried }: WorldWish,
  ): Promise<World> {
    const leaseMs = LEASE_MS[isAlone ? 'alone' : 'beside'];
    const shared = cables === null ? '127.0.0.1' : SHARED_ADDRESS;
    const { url, port } = pair.primary;
    await createTables({ url, replication: 'strict', answerMs: 20_000 }, SHARDS);
    const localdir = writeRegisterProduct(dir, `${shared}:${receiver.port}`);
    const outbound = `outbound: { allow_private: ["${shared}:${receiver.port}"] }`;
    const settings = { localdir, storage: `journal: { driver: postgres, url: "${url}" }`, extra: outbound };
    mkdirSync(join(dir, 'n1'));
    const prepared = await startTestNode({ dir: join(dir, 'n1'), ...settings });
    await prepared.node.ask(TENANT, 'identity', 'user.ensure', USER);
    await prepared.stop();
    const nodes: NodeProcess[] = [];
    for (let no = 0; no < count; no++) {
      const reads = no === 0 ? 'local' : 'lease';
      const name = `n${no + 1}`;
      const link = new Link(port, cables?.[no] ?? null);
      const storage = settings.storage.replace(`127.0.0.1:${port}/`, `${await link.open()}/`);
      const between = isCarried ? await LinkBetween.to(dir, name) : null;
      if (isCarried) shareFiles(dir, join(dir, name));
      const more = between === null ? '' : `, ${between.settings}`;
      const extra = `${outbound}\ncluster: { node: ${name}, lease: ${leaseMs / 1000}s, reads: ${reads}${more} }`;
      nodes.push(
        await nodeAt(join(dir, name), name, { localdir, storage, extra, isAlone }, link, between?.relay ?? null),
      );
    }
    const [first, ...others] = nodes as [NodeProcess, ...NodeProcess[]];
    const world = new World(dir, pair, receiver, nodes, prepared.serviceKey, cables, leaseMs);
    try {
      first.start();
      await world.untilServing();
      writeFileSync(first.place.file, readFileSync(first.place.file, 'utf8').replace('reads: local', 'reads: lease'));
      for (const other of others) other.start();
      await world.untilWhole();
      await world.renew();
    } catch (error) {
      await world.end(true);
      throw error;
    }
    return world;
  }

  /** The node that serves, as soon as one does. */
  untilServing(): Promise<NodeProcess> {
    return until('a node serves', SOON_MS, async () => {
      for (const node of this.nodes) if ((await node.role()) === 'serves') return node;
      return null;
    });
  }

  /** All are there again: one serves, and every other one stands by; the one that serves. */
  untilWhole(): Promise<NodeProcess> {
    const ask = async (): Promise<NodeProcess | null> => {
      const roles = await Promise.all(this.nodes.map((node) => node.role()));
      if (roles.filter((role) => role === 'stands by').length < roles.length - 1) return null;
      return this.nodes[roles.indexOf('serves')] ?? null;
    };
    // A start takes seconds of a processor, which looks would take away from it.
    return until('one node serves and every other one stands by', SOON_MS, ask, WHOLE_LOOK_MS);
  }

  others(node: NodeProcess): NodeProcess[] {
    return this.nodes.filter((one) => one !== node);
  }

  /** A token of the service, with the one before still valid. */
  async renew(): Promise<void> {
    const token = await until('a token is given', SOON_MS, async () => {
      const { gateway } = (await this.untilServing()).place;
      return exchange(gateway, this.#serviceKey).catch(orRefused);
    });
    this.headers = { ...positionHeaders(TENANT), Authorization: `Bearer ${token}` };
  }

  /** The user's session goes on from round to round; throws where it does not. */
  async useSession(): Promise<void> {
    const { gateway } = (await this.untilServing()).place;
    const at = positionHeaders(TENANT);
    const tokens = this.#session;
    if (tokens !== null) {
      const headers = { ...at, Authorization: `Bearer ${tokens.access_token}` };
      const read = await call(gateway, 'GET', '/data/rest/register?limit=1', headers);
      if (read.status !== 200 && read.status !== 503)
        throw new Error(`the session is over: a read was answered with ${read.status}`);
    }
    const answer =
      tokens === null
        ? await call(gateway, 'POST', '/auth/login', at, { login: USER.login, password: USER.password })
        : await call(gateway, 'POST', '/auth/refresh', at, { refresh_token: tokens.refresh_token });
    // Whether this refresh was taken is not known then, and a second one with its token would end the session.
    if (answer.status === 503) this.#session = null;
    else if (answer.status === 200) this.#session = answer.json;
    else throw new Error(`the session is over: ${answer.status} ${answer.text}`);
  }

  /** Ends what runs. The directory stays where something was found, with what the nodes logged. */
  async end(hasFound: boolean): Promise<void> {
    for (const node of this.nodes) {
      node.place.link.heal();
      node.place.between?.heal();
      node.signal('SIGCONT');
      const late = setTimeout(() => void node.end('SIGKILL'), 15_000);
      await node.end('SIGTERM');
      clearTimeout(late);
    }
    for (const { place } of this.nodes) {
      place.link.close();
      place.between?.close();
    }
    await Promise.all([this.pair.stop(), this.receiver.stop()]);
    if (this.#cables !== null) Cable.clear(this.#cables);
    if (!hasFound) rmSync(this.dir, { recursive: true, force: true });
  }
}

/** Where the other nodes reach one, through a relay, and what its platform file says of it. */
class LinkBetween {
  readonly relay: Link;
  readonly settings: string;

  private constructor(relay: Link, settings: string) {
    this.relay = relay;
    this.settings = settings;
  }

  static async to(dir: string, name: string): Promise<LinkBetween> {
    const port = await freePort();
    const relay = new Link(port, null);
    const address = await relay.open();
    const papers = join(dir, 'papers');
    mkdirSync(papers, { recursive: true });
    const { ca, certificate, key } = LinkAuthority.in(papers).pair(name);
    const link = `{ bind: "127.0.0.1:${port}", address: "${address}", certificate: "${certificate}", key: "${key}", ca: "${ca}" }`;
    return new LinkBetween(relay, `files: shared, carry: true, places: ${SHARDS}, link: ${link}`);
  }
}

/** A key that is refused is a finding; a node that cannot answer now is asked again. */
function orRefused(error: unknown): null {
  if ((error as Error).message.startsWith('exchange: 4')) throw error;
  return null;
}

/** Asks every so often until there is an answer; rejects with what did not come about. */
export async function until<Found>(
  what: string,
  ms: number,
  ask: () => Promise<Found | null>,
  everyMs = 25,
): Promise<Found> {
  const deadline = performance.now() + ms;
  for (;;) {
    const found = await ask();
    if (found !== null) return found;
    if (performance.now() > deadline) throw new Error(`${Math.round(ms / 1000)} s went by before ${what}`);
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}

async function nodeAt(
  dir: string,
  name: string,
  {
    isAlone,
    ...wish
  }: { readonly localdir: string; readonly storage: string; readonly extra: string; readonly isAlone: boolean },
  link: Link,
  between: Link | null,
): Promise<NodeProcess> {
  mkdirSync(dir, { recursive: true });
  const file = writePlatformFile(dir, wish);
  const host = link.cable?.address ?? '127.0.0.1';
  const [gateway, operations] = [`${host}:${await freePort()}`, `${host}:${await freePort()}`];
  const text = readFileSync(file, 'utf8')
    .replace('gateway: { bind: 127.0.0.1:0', `gateway: { bind: ${gateway}`)
    .replace('operations: { bind: 127.0.0.1:0 }', `operations: { bind: ${operations} }`)
    .replace('log: { level: silent }', 'log: { level: info }');
  writeFileSync(file, text);
  const at = (address: string): string => `http://${address}`;
  const place = {
    name,
    file,
    logFile: join(dir, 'log'),
    operations: at(operations),
    gateway: at(gateway),
    link,
    between,
    isAlone,
  };
  return new NodeProcess(place);
}
