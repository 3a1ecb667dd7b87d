/** A program that writes rows through the balancer, each under a key of its own, and sends one again that was not answered; what it was told, and what is there afterwards. */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';
import type { Haproxy } from '#test/kit/haproxy.ts';

const CALL_MS = 70_000;
const REST_MS = 20;
/** No command of the tour lists suggestions, or looks for records of them. */
const PATH = '/data/rest/suggestion';
const PAGE_ROWS = 1000;

interface Answer {
  /** 0 where the connection ended. */
  readonly status: number;
  readonly retryAfter: string;
  readonly text: string;
}

export class Writer {
  readonly #balancer: Haproxy;
  readonly #agent: Agent;
  readonly #headers: Record<string, string>;
  readonly #made = new Set<string>();
  readonly #running: Promise<void>;
  #isOver = false;
  #rows = 0;
  #wellAt = performance.now();
  /** Answers by status and, where they ask for it, when to come again. */
  readonly told = new Map<string, number>();
  /** The longest time without a good answer. Milliseconds. */
  longestMs = 0;

  static async start(balancer: Haproxy, folder: string): Promise<Writer> {
    const dev = JSON.parse(readFileSync(join(folder, '.skep/n1/dev.json'), 'utf8')) as {
      readonly headers: Record<string, string>;
      readonly service_key: string;
    };
    const agent = new Agent({ connect: { ca: balancer.ca } });
    const key = { ...dev.headers, authorization: `ApiKey ${dev.service_key}` };
    const { status, text } = await ask(agent, 'POST', `${balancer.url}/auth/token`, key);
    if (status !== 200) throw new Error(`no token: ${status} ${text}`);
    const { token } = JSON.parse(text) as { readonly token: string };
    return new Writer(balancer, agent, { ...dev.headers, authorization: `Bearer ${token}` });
  }

  private constructor(balancer: Haproxy, agent: Agent, headers: Record<string, string>) {
    this.#balancer = balancer;
    this.#agent = agent;
    this.#headers = headers;
    this.#running = this.#run();
  }

  /** Rows that were acknowledged and are not there once, and names that are there twice; the writer has stopped then. */
  async wrong(): Promise<string[]> {
    this.#isOver = true;
    await this.#running;
    const found = new Map<string, number>();
    for (let offset = 0; ; offset += PAGE_ROWS) {
      const query = `orderby=id&limit=${PAGE_ROWS}&offset=${offset}&fields=text`;
      const text = await this.#read(`${this.#balancer.url}${PATH}?${query}`);
      const { data } = JSON.parse(text) as { readonly data: readonly { readonly text: string }[] };
      for (const { text: name } of data) found.set(name, (found.get(name) ?? 0) + 1);
      if (data.length < PAGE_ROWS) break;
    }
    await this.#agent.close();
    const lost = [...this.#made].filter((name) => !found.has(name)).map((name) => `${name} is lost`);
    return [
      ...lost,
      ...[...found].filter(([, count]) => count > 1).map(([name, count]) => `${name} is there ${count} times`),
    ];
  }

  /** Sent again like every request that gets no answer; rejects at a refusal. */
  async #read(url: string): Promise<string> {
    for (;;) {
      const { status, text } = await ask(this.#agent, 'GET', url, this.#headers);
      if (status === 200) return text;
      if (status !== 0 && status < 500) throw new Error(`the rows cannot be read: ${status} ${text}`);
      await sleep(REST_MS);
    }
  }

  get acknowledged(): number {
    return this.#made.size;
  }

  async #run(): Promise<void> {
    while (!this.#isOver) {
      const name = `written-${this.#rows++}`;
      const headers = { ...this.#headers, 'content-type': 'application/json', 'idempotency-key': randomUUID() };
      const body = JSON.stringify({ text: name });
      // A row that was sent is sent until it has an answer, also behind the end.
      while (!(await this.#sent(name, headers, body))) await sleep(REST_MS);
      await sleep(REST_MS);
    }
  }

  async #sent(name: string, headers: Record<string, string>, body: string): Promise<boolean> {
    const { status, retryAfter } = await ask(this.#agent, 'POST', `${this.#balancer.url}${PATH}`, headers, body);
    const what = `${status}${retryAfter === '' ? '' : ` retry-after ${retryAfter}`}`;
    this.told.set(what, (this.told.get(what) ?? 0) + 1);
    if (status !== 201) return false;
    const now = performance.now();
    this.longestMs = Math.max(this.longestMs, now - this.#wellAt);
    this.#wellAt = now;
    this.#made.add(name);
    return true;
  }
}

async function ask(
  dispatcher: Agent,
  method: 'GET' | 'POST',
  url: string,
  headers: Record<string, string>,
  body: string | null = null,
): Promise<Answer> {
  try {
    const answer = await request(url, { dispatcher, method, headers, body, signal: AbortSignal.timeout(CALL_MS) });
    const text = await answer.body.text();
    return { status: answer.statusCode, retryAfter: String(answer.headers['retry-after'] ?? ''), text };
  } catch (error) {
    return { status: 0, retryAfter: '', text: String(error) };
  }
}
