/**
 * Clients that write a row and read without end at whichever of two nodes serves, one for each tenant, and what they met. A client whose call fails waits for the balancer, which looks at both nodes
 * every few milliseconds as one in front of them would: each client looking by itself took more of the machine than either node. A call that has no answer is given up, so that no loop can hang.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { positionHeaders } from '#test/kit/test-node.ts';

const CALL_MS = 5000;
/** Between two rounds of a client, and between two looks of the balancer. */
const REST_MS = 5;
const LOOK_MS_MAX = 1000;
/** Tokens live 15 minutes. */
const TOKEN_MS_MAX = 5 * 60_000;
const CREATED = 201;
const OK = 200;
const FAULT_MIN = 500;

export interface Tenant {
  readonly name: string;
  /** Of a service account. */
  readonly key: string;
}

export interface Pause {
  /** The longest time in which a client had no good answer to a write and a read, of all clients. Milliseconds. */
  readonly ms: number;
  /** Answers of 500 and above. */
  readonly refused: number;
}

/** Status 0 where there was none. */
interface Answer {
  readonly status: number;
  readonly text: string;
}

const NO_ANSWER: Answer = { status: 0, text: '' };

type Headers = Readonly<Record<string, string>>;

class Client {
  readonly tenant: Tenant;
  /** Ids of rows whose create was answered 201. */
  readonly acknowledged: string[] = [];
  headers: Headers = {};
  tokenAt = -Infinity;
  rows = 0;
  wellAt = performance.now();
  longestMs = 0;
  /** The node of its last good round; -1 before the first one since a takeover began. */
  servedBy = -1;

  constructor(tenant: Tenant) {
    this.tenant = tenant;
  }

  well(node: number): void {
    const now = performance.now();
    this.longestMs = Math.max(this.longestMs, now - this.wellAt);
    this.wellAt = now;
    this.servedBy = node;
  }
}

export class TakeoverClients {
  readonly #gateways: readonly [string, string];
  readonly #clients: readonly Client[];
  readonly #running: Promise<unknown>;
  #at: number;
  /** One look for all that wait. */
  #looking: Promise<void> | null = null;
  #refused = 0;
  #isOver = false;

  /** `at`: the node that serves. */
  constructor(gateways: readonly [string, string], tenants: readonly Tenant[], at: number) {
    this.#gateways = gateways;
    this.#at = at;
    this.#clients = tenants.map((tenant) => new Client(tenant));
    this.#running = Promise.all(this.#clients.map((client) => this.#run(client)));
  }

  get acknowledged(): number {
    return this.#clients.reduce((sum, { acknowledged }) => sum + acknowledged.length, 0);
  }

  /** A takeover begins: what was met before is forgotten. */
  begin(): void {
    this.#refused = 0;
    for (const client of this.#clients) {
      client.longestMs = 0;
      client.servedBy = -1;
    }
  }

  /** Resolves when each client was served by this node since `begin`; rejects after so many milliseconds. */
  async servedBy(node: number, msMax: number): Promise<Pause> {
    const end = performance.now() + msMax;
    for (;;) {
      const waiting = this.#clients.filter(({ servedBy }) => servedBy !== node);
      if (waiting.length === 0) break;
      const names = waiting.map(({ tenant }) => tenant.name).join(', ');
      if (performance.now() > end) throw new Error(`not served again after ${msMax / 1000} s: ${names}`);
      await sleep(REST_MS);
    }
    return { ms: Math.max(...this.#clients.map(({ longestMs }) => longestMs)), refused: this.#refused };
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#running;
  }

  /** Rows that were acknowledged and are not there; to be called behind `stop`. */
  async lost(): Promise<number> {
    const lost = await Promise.all(this.#clients.map((client) => this.#lostOf(client)));
    return lost.reduce((sum, one) => sum + one, 0);
  }

  async #lostOf(client: Client): Promise<number> {
    let lost = 0;
    for (const id of client.acknowledged)
      if ((await this.#asked(client, 'GET', `/data/rest/item/id/${id}`)).status !== OK) lost++;
    return lost;
  }

  async #run(client: Client): Promise<void> {
    while (!this.#isOver) {
      const at = this.#at;
      if (await this.#round(client)) client.well(at);
      else await (this.#looking ??= this.#look());
      await sleep(REST_MS);
    }
  }

  /** Resolves when a node is ready, which is where clients go on. */
  async #look(): Promise<void> {
    for (let at = this.#at; !this.#isOver; at = 1 - at) {
      if (await isReady(this.#gateways[at]!)) {
        this.#at = at;
        break;
      }
      await sleep(REST_MS);
    }
    this.#looking = null;
  }

  async #round(client: Client): Promise<boolean> {
    const name = `${client.tenant.name.replaceAll(':', '-')}-${client.rows++}`;
    const { status, text } = await this.#asked(client, 'POST', '/data/rest/item', { name, token: name });
    if (status !== CREATED) return false;
    const { data } = JSON.parse(text) as { readonly data: readonly { readonly id: string }[] };
    client.acknowledged.push(data[0]!.id);
    return (await this.#asked(client, 'GET', '/data/rest/item?limit=1')).status === OK;
  }

  async #asked(client: Client, method: string, path: string, body?: object): Promise<Answer> {
    if (performance.now() - client.tokenAt > TOKEN_MS_MAX && !(await this.#login(client))) return NO_ANSWER;
    return this.#fetched(method, path, client.headers, body);
  }

  async #login(client: Client): Promise<boolean> {
    const { name, key } = client.tenant;
    const position = positionHeaders(name);
    const headers = { ...position, Authorization: `ApiKey ${key}` };
    const { status, text } = await this.#fetched('POST', '/auth/token', headers);
    if (status !== OK) return false;
    client.headers = { ...position, Authorization: `Bearer ${(JSON.parse(text) as { token: string }).token}` };
    client.tokenAt = performance.now();
    return true;
  }

  async #fetched(method: string, path: string, headers: Headers, body?: object): Promise<Answer> {
    try {
      const answer = await fetch(this.#gateways[this.#at]! + path, {
        method,
        headers: body === undefined ? headers : { ...headers, 'Content-Type': 'application/json' },
        signal: AbortSignal.timeout(CALL_MS),
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      if (answer.status >= FAULT_MIN) this.#refused++;
      return { status: answer.status, text: await answer.text() };
    } catch {
      return NO_ANSWER;
    }
  }
}

async function isReady(gateway: string): Promise<boolean> {
  try {
    const answer = await fetch(`${gateway}/ready`, { signal: AbortSignal.timeout(LOOK_MS_MAX) });
    await answer.arrayBuffer();
    return answer.status === OK;
  } catch {
    return false;
  }
}
