/** Clients of several tenants that write and read at one door, or at two, without end, what was acknowledged, and what they met instead. */
import { setTimeout as sleep } from 'node:timers/promises';
import { call, positionHeaders, type Answer, type Headers } from '#test/kit/test-node.ts';

const REST_MS = 40;
const PAGE_ROWS = 5000;
const CREATED = 201;
const OK = 200;
const UNAVAILABLE = 503;

class Client {
  readonly tenant: string;
  readonly key: string;
  /** Ids of rows whose create was answered 201. */
  readonly acknowledged: string[] = [];
  headers: Headers | null = null;
  rows = 0;
  wellAt = performance.now();
  longestMs = 0;

  constructor(tenant: string, key: string) {
    this.tenant = tenant;
    this.key = key;
  }
}

export class Clients {
  /** Answers that no caller should meet: neither good, nor 503 with `Retry-After: 1`. */
  readonly strange: string[] = [];
  refused = 0;
  /** Where they call. */
  door: string;
  /** Where they call, too: rows that are written at one door are read at the other; null for one door. */
  second: string | null = null;
  readonly #restMs: number;
  readonly #clients: readonly Client[];
  readonly #running: Promise<unknown>;
  #isOver = false;

  constructor(door: string, keys: ReadonlyMap<string, string>, restMs = REST_MS) {
    this.door = door;
    this.#restMs = restMs;
    this.#clients = [...keys].map(([tenant, key]) => new Client(tenant, key));
    this.#running = Promise.all(this.#clients.map((client) => this.#run(client)));
  }

  /** Resolves when each client was answered well from now on; rejects after so many milliseconds. Gives the longest pause since `begin`, in milliseconds. */
  async well(msMax: number): Promise<number> {
    const since = performance.now();
    for (const end = since + msMax; ;) {
      const waiting = this.#clients.filter(({ wellAt }) => wellAt <= since);
      if (waiting.length === 0) return Math.max(...this.#clients.map(({ longestMs }) => longestMs));
      if (performance.now() > end)
        throw new Error(`not answered after ${msMax} ms: ${waiting.map(({ tenant }) => tenant).join(', ')}`);
      await sleep(REST_MS);
    }
  }

  /** What was met before is forgotten. */
  begin(): void {
    this.refused = 0;
    this.strange.length = 0;
    for (const client of this.#clients) {
      client.wellAt = performance.now();
      client.longestMs = 0;
    }
  }

  get acknowledged(): number {
    return this.#clients.reduce((sum, { acknowledged }) => sum + acknowledged.length, 0);
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#running;
  }

  /** Rows that were acknowledged and are not there, by a door, and names of rows that are there twice: each was sent once. */
  async lost(door: string): Promise<string[]> {
    const lost: string[] = [];
    for (const { acknowledged, key, tenant } of this.#clients) {
      const headers = await serviceHeaders(door, tenant, key);
      const before = [...acknowledged]; // it grows while the rows are listed
      const there = await namesOf(door, headers);
      for (const id of before) if (!there.has(id)) lost.push(`${tenant} ${id}`);
      const once = new Set<string>();
      for (const name of there.values()) {
        if (once.has(name)) lost.push(`${tenant} ${name} twice`);
        once.add(name);
      }
    }
    return lost;
  }

  async #run(client: Client): Promise<void> {
    while (!this.#isOver) {
      try {
        client.headers ??= await serviceHeaders(this.door, client.tenant, client.key);
        if (await this.#round(client, client.headers)) {
          const now = performance.now();
          client.longestMs = Math.max(client.longestMs, now - client.wellAt);
          client.wellAt = now;
        }
      } catch {
        // The door is gone, or a login found no thread: the next round tries again.
        this.refused++;
      }
      await sleep(this.#restMs);
    }
  }

  async #round(client: Client, headers: Headers): Promise<boolean> {
    const name = `${client.tenant.replaceAll(':', '-')}-${client.rows++}`;
    const second = this.second ?? this.door;
    const [write, read] = client.rows % 2 === 0 ? [second, this.door] : [this.door, second];
    const made = await call(write, 'POST', '/data/rest/item', headers, { name, token: `t-${name}` });
    if (!this.#isGood(client, made, CREATED)) return false;
    const { id } = (made.json as { data: { id: string }[] }).data[0]!;
    client.acknowledged.push(id);
    return this.#isGood(client, await call(read, 'GET', `/data/rest/item/id/${id}`, headers), OK);
  }

  #isGood({ tenant }: Client, { headers, status, text }: Answer, wanted: number): boolean {
    if (status === wanted) return true;
    if (status === UNAVAILABLE && headers.get('retry-after') === '1') this.refused++;
    else this.strange.push(`${tenant}: ${status} ${text}`);
    return false;
  }
}

/** By the id of each row. */
async function namesOf(door: string, headers: Headers): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>();
  for (let rows = PAGE_ROWS; rows === PAGE_ROWS;) {
    const page = await call(door, 'GET', `/data/rest/item?limit=${PAGE_ROWS}&offset=${names.size}`, headers);
    if (page.status !== OK) throw new Error(`rows: ${page.status} ${page.text}`);
    const { data } = page.json as { readonly data: readonly { readonly id: string; readonly name: string }[] };
    for (const { id, name } of data) names.set(id, name);
    rows = data.length;
  }
  return names;
}

export async function serviceHeaders(door: string, tenant: string, key: string): Promise<Headers> {
  const position = positionHeaders(tenant);
  const { json, status, text } = await call(door, 'POST', '/auth/token', {
    ...position,
    Authorization: `ApiKey ${key}`,
  });
  if (status !== OK) throw new Error(`token of ${tenant}: ${status} ${text}`);
  return { ...position, Authorization: `Bearer ${(json as { token: string }).token}` };
}
