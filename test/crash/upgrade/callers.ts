/** Callers at the doors of all nodes, each of which begins at one of them and goes to the next one where nothing listens. Each row is sent once. What they were told is counted, and what was acknowledged is looked for. */
import { setTimeout as sleep } from 'node:timers/promises';
import { positionHeaders, type Headers } from '#test/kit/test-node.ts';

const CALLERS_PER_DOOR = 3;
const REST_MS = 40;
const PATIENCE_MS = 10_000;
const RETRY_S_MAX = 2;
const PAGE_ROWS = 5000;
const TOKEN_MS_MAX = 5 * 60_000;

interface Heard {
  /** 0 without an answer. */
  readonly status: number;
  readonly retryAfter: number | null;
  readonly text: string;
  /** What was wrong with the connection; null where nothing was. */
  readonly fault: string | null;
}

export interface CallersDoor {
  readonly url: string;
  /** Who opened it: machine and release, as they are now. */
  said(): string;
}

interface Token {
  value: string;
  at: number;
}

export class DoorCallers {
  readonly #doors: readonly CallersDoor[];
  readonly #keys: ReadonlyMap<string, string>;
  /** By tenant: names of rows that were acknowledged. */
  readonly #made: ReadonlyMap<string, Set<string>>;
  readonly #tokens: ReadonlyMap<string, Token>;
  readonly #running: Promise<unknown>;
  #isOver = false;
  #longestMs = 0;
  /** Requests, those that were answered 503 with a Retry-After of two seconds at most, and tries at a door that did not listen. */
  readonly counts = { requests: 0, refused: 0, elsewhere: 0 };
  /** Whatever else a request met, and at which door. */
  readonly failures: string[] = [];

  /** `keys`: of a service, by tenant; tenants take turns in the callers. */
  constructor(doors: readonly CallersDoor[], keys: ReadonlyMap<string, string>) {
    this.#doors = doors;
    this.#keys = keys;
    const tenants = [...keys.keys()];
    this.#made = new Map(tenants.map((tenant) => [tenant, new Set<string>()]));
    this.#tokens = new Map(tenants.map((tenant) => [tenant, { value: '', at: -Infinity }]));
    const callers = Array.from({ length: doors.length * CALLERS_PER_DOOR }, (_, no) =>
      this.#run(no % doors.length, no, tenants[no % tenants.length]!),
    );
    this.#running = Promise.all(callers);
  }

  get acknowledged(): number {
    return [...this.#made.values()].reduce((sum, { size }) => sum + size, 0);
  }

  /** The longest time in which a caller had no good answer since the last call. Milliseconds. */
  pauseMs(): number {
    const ms = this.#longestMs;
    this.#longestMs = 0;
    return Math.round(ms);
  }

  async end(): Promise<void> {
    this.#isOver = true;
    await this.#running;
  }

  /** Ends the callers; rows that were acknowledged and are not there, and names that are there twice. */
  async wrong(): Promise<string[]> {
    await this.end();
    const wrong: string[] = [];
    for (const tenant of this.#keys.keys()) wrong.push(...(await this.#wrongOf(tenant)));
    return wrong;
  }

  async #wrongOf(tenant: string): Promise<string[]> {
    const found = new Map<string, number>();
    for (let offset = 0; ; offset += PAGE_ROWS) {
      const path = `/data/rest/item?limit=${PAGE_ROWS}&offset=${offset}&orderby=id&fields=name`;
      const { status, text } = await this.#ask(0, tenant, 'GET', path);
      if (status !== 200) throw new Error(`the rows cannot be read: ${status} ${text}`);
      const { data } = JSON.parse(text) as { readonly data: readonly { readonly name: string }[] };
      for (const { name } of data) found.set(name, (found.get(name) ?? 0) + 1);
      if (data.length < PAGE_ROWS) break;
    }
    const lost = [...this.#made.get(tenant)!].filter((name) => !found.has(name)).map((name) => `${name} is lost`);
    return [
      ...lost,
      ...[...found].filter(([, count]) => count > 1).map(([name, count]) => `${name} is there ${count} times`),
    ];
  }

  async #run(door: number, caller: number, tenant: string): Promise<void> {
    let wellAt = performance.now();
    for (let no = 0; !this.#isOver; no++) {
      const name = `door-${door}-${caller}-${no}`;
      const heard = await this.#ask(door, tenant, 'POST', '/data/rest/item', { name, token: name });
      if (heard.status === 201) {
        const now = performance.now();
        this.#longestMs = Math.max(this.#longestMs, now - wellAt);
        wellAt = now;
        this.#made.get(tenant)!.add(name);
      }
      await sleep(REST_MS);
    }
  }

  /** At this door, or at the next one that listens. */
  async #ask(first: number, tenant: string, method: string, path: string, body?: object): Promise<Heard> {
    const headers = await this.#headers(tenant);
    if (headers === null) return { status: 0, retryAfter: null, text: '', fault: 'no token' };
    for (let tried = 0; tried < this.#doors.length; tried++) {
      const door = this.#doors[(first + tried) % this.#doors.length]!;
      const at = door.said();
      const heard = await sent(door.url, method, path, headers, body);
      if (heard.fault === 'ECONNREFUSED') this.counts.elsewhere++;
      else return this.#counted(heard, `${method} ${path} at ${at}`);
    }
    return this.#counted({ status: 0, retryAfter: null, text: '', fault: 'no door listens' }, `${method} ${path}`);
  }

  #counted(heard: Heard, what: string): Heard {
    const { fault, retryAfter, status, text } = heard;
    this.counts.requests++;
    if (status === 503 && retryAfter !== null && retryAfter <= RETRY_S_MAX) this.counts.refused++;
    else if (status !== 200 && status !== 201) this.failures.push(`${what}: ${status} ${fault ?? text}`);
    return heard;
  }

  /** Null while none is given. */
  async #headers(tenant: string): Promise<Headers | null> {
    const position = positionHeaders(tenant);
    const token = this.#tokens.get(tenant)!;
    if (performance.now() - token.at > TOKEN_MS_MAX) {
      const asked = { ...position, Authorization: `ApiKey ${this.#keys.get(tenant)!}` };
      for (const door of this.#doors) {
        const { status, text } = await sent(door.url, 'POST', '/auth/token', asked);
        if (status !== 200) continue;
        token.value = (JSON.parse(text) as { token: string }).token;
        token.at = performance.now();
        break;
      }
    }
    return token.value === '' ? null : { ...position, Authorization: `Bearer ${token.value}` };
  }
}

async function sent(door: string, method: string, path: string, headers: Headers, body?: object): Promise<Heard> {
  try {
    const answer = await fetch(door + path, {
      method,
      headers: body === undefined ? headers : { ...headers, 'Content-Type': 'application/json' },
      signal: AbortSignal.timeout(PATIENCE_MS),
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const after = answer.headers.get('retry-after');
    const retryAfter = after === null ? null : Number(after);
    return { status: answer.status, retryAfter, text: await answer.text(), fault: null };
  } catch (error) {
    const { cause, name } = error as Error & { readonly cause?: { readonly code?: string } };
    return { status: 0, retryAfter: null, text: '', fault: cause?.code ?? name };
  }
}
