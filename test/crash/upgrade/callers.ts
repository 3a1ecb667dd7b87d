/** Callers at the doors of all nodes, each of which begins at one of them and goes to the next one where nothing listens. Each row is sent once. What they were told is counted, and what was acknowledged is looked for. */
import { setTimeout as sleep } from 'node:timers/promises';
import { TENANT } from '#test/kit/platform-file.ts';
import { positionHeaders } from '#test/kit/test-node.ts';
import type { Headers } from '#test/kit/test-node.ts';

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

export class DoorCallers {
  readonly #doors: readonly string[];
  readonly #key: string;
  readonly #made = new Set<string>();
  readonly #running: Promise<unknown>;
  #token = { value: '', at: -Infinity };
  #isOver = false;
  #longestMs = 0;
  /** Requests, those that were answered 503 with a Retry-After of two seconds at most, and tries at a door that did not listen. */
  readonly counts = { requests: 0, refused: 0, elsewhere: 0 };
  /** Whatever else a request met. */
  readonly failures: string[] = [];

  constructor(doors: readonly string[], key: string) {
    this.#doors = doors;
    this.#key = key;
    const callers = doors.flatMap((_, door) =>
      Array.from({ length: CALLERS_PER_DOOR }, (_one, no) => this.#run(door, no)),
    );
    this.#running = Promise.all(callers);
  }

  get acknowledged(): number {
    return this.#made.size;
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
    const found = new Map<string, number>();
    for (let offset = 0; ; offset += PAGE_ROWS) {
      const path = `/data/rest/item?limit=${PAGE_ROWS}&offset=${offset}&orderby=id&fields=name`;
      const { status, text } = await this.#ask(0, 'GET', path);
      if (status !== 200) throw new Error(`the rows cannot be read: ${status} ${text}`);
      const { data } = JSON.parse(text) as { readonly data: readonly { readonly name: string }[] };
      for (const { name } of data) found.set(name, (found.get(name) ?? 0) + 1);
      if (data.length < PAGE_ROWS) break;
    }
    const lost = [...this.#made].filter((name) => !found.has(name)).map((name) => `${name} is lost`);
    return [
      ...lost,
      ...[...found].filter(([, count]) => count > 1).map(([name, count]) => `${name} is there ${count} times`),
    ];
  }

  async #run(door: number, caller: number): Promise<void> {
    let wellAt = performance.now();
    for (let no = 0; !this.#isOver; no++) {
      const name = `door-${door}-${caller}-${no}`;
      const heard = await this.#ask(door, 'POST', '/data/rest/item', { name, token: name });
      if (heard.status === 201) {
        const now = performance.now();
        this.#longestMs = Math.max(this.#longestMs, now - wellAt);
        wellAt = now;
        this.#made.add(name);
      }
      await sleep(REST_MS);
    }
  }

  /** At this door, or at the next one that listens. */
  async #ask(first: number, method: string, path: string, body?: object): Promise<Heard> {
    const headers = await this.#headers();
    if (headers === null) return { status: 0, retryAfter: null, text: '', fault: 'no token' };
    for (let tried = 0; tried < this.#doors.length; tried++) {
      const heard = await sent(this.#doors[(first + tried) % this.#doors.length]!, method, path, headers, body);
      if (heard.fault === 'ECONNREFUSED') this.counts.elsewhere++;
      else return this.#counted(heard, `${method} ${path}`);
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
  async #headers(): Promise<Headers | null> {
    const position = positionHeaders(TENANT);
    if (performance.now() - this.#token.at > TOKEN_MS_MAX) {
      const asked = { ...position, Authorization: `ApiKey ${this.#key}` };
      for (const door of this.#doors) {
        const { status, text } = await sent(door, 'POST', '/auth/token', asked);
        if (status !== 200) continue;
        this.#token = { value: (JSON.parse(text) as { token: string }).token, at: performance.now() };
        break;
      }
    }
    return this.#token.value === '' ? null : { ...position, Authorization: `Bearer ${this.#token.value}` };
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
