/**
 * A node under callers of all kinds for as long as one wishes: everything is answered as it was asked for, and memory, descriptors and threads are afterwards what they were when it was warm.
 * Periods: test/kit/rounds.ts, SKEP_SOAK_PERIODS; `npm run campaign -- soak --for 4h` goes on for hours.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as passed } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { openEvents } from '#test/kit/event-stream.ts';
import { writeNoteProduct } from '#test/kit/note-product.ts';
import { TENANT, writePlatformFile } from '#test/kit/platform-file.ts';
import { startProcess, type ProcessNode } from '#test/kit/process-node.ts';
import { rounds } from '#test/kit/rounds.ts';
import { tally, TALLY_FILE } from '#test/kit/tally.ts';
import { call, exchange, positionHeaders, startTestNode, type Answer, type Headers } from '#test/kit/test-node.ts';
import { Wire } from '#test/runtime/door/wire.ts';

const isCampaign = process.env[TALLY_FILE] !== undefined;
const PERIODS = rounds(isCampaign ? { suite: 24, ci: 240 } : { suite: 1, ci: 1 }, 'SKEP_SOAK_PERIODS');
const PERIOD_MS = 15_000;
const CALLERS = 8;
/** Nothing is asked for so long before a look: what was begun has ended, and connections without a request are closed. */
const REST_MS = 3000;
/** Before so many periods what a look shows is still warming up. */
const MEMORY_JUDGED_FROM = 20;
/** As test/kit/tally.ts says of what it counts. A host keeps tokens that it has checked, up to `limits.identity.tokenCacheEntriesMax`: logins fill that for hours. */
const GROWTH_MB_MAX = 40;
/** Looks whose memory is printed, spread over the run. */
const LOOKS_SHOWN = 40;
/** Connections of the test that are kept alive come and go. */
const DESCRIPTORS_MORE_MAX = 20;
const USER = { login: 'ann@shop.example', password: 'correct horse battery' };

/** What is held by a process that does nothing. */
interface Held {
  /** Its own memory, without the pages of mapped files. */
  readonly memoryMb: number;
  readonly descriptors: number;
  readonly threads: number;
}

function heldBy(pid: number): Held {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const number = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)![1]);
  return {
    memoryMb: number('RssAnon') / 1024,
    descriptors: readdirSync(`/proc/${pid}/fd`).length,
    threads: number('Threads'),
  };
}

const medianOf = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1]!;

/** Callers of one node, who count what they were answered otherwise than they should have been. */
class Callers {
  readonly wrong: string[] = [];
  /** Answers, by what was asked. */
  readonly done: Record<string, number> = {};
  readonly #node: ProcessNode;
  readonly #key: string;
  #service: Headers = {};

  constructor(node: ProcessNode, key: string) {
    this.#node = node;
    this.#key = key;
  }

  /** All kinds of calls, each by several callers at once, for so long. */
  async period(ms: number): Promise<void> {
    const bearer = await exchange(this.#gateway, this.#key);
    this.#service = { ...positionHeaders(TENANT), Authorization: `Bearer ${bearer}` };
    const end = performance.now() + ms;
    const kinds = [this.#row, this.#reads, this.#session, this.#submission, this.#subscriber, this.#dropped];
    await Promise.all(
      Array.from({ length: CALLERS }, async (_, caller) => {
        for (let no = caller; performance.now() < end; no++) await kinds[no % kinds.length]!();
      }),
    );
  }

  get #gateway(): string {
    return this.#node.listeners['gateway']!;
  }

  async #ask(status: number, method: string, path: string, headers = this.#service, body?: unknown): Promise<Answer> {
    const answer = await call(this.#gateway, method, path, headers, body);
    const what = `${method} ${path.replace(/[0-9a-z-]{20,}/gi, '…')}`;
    this.done[what] = (this.done[what] ?? 0) + 1;
    if (answer.status !== status) this.wrong.push(`${answer.status} for ${what}: ${answer.text.slice(0, 200)}`);
    return answer;
  }

  readonly #row = async (): Promise<void> => {
    const made = await this.#ask(201, 'POST', '/data/rest/note', this.#service, { title: 'one', open: true });
    const { id } = (made.json as { data: { id: string }[] }).data[0]!;
    await this.#ask(200, 'PATCH', `/data/rest/note/id/${id}`, this.#service, { title: 'two' });
    await this.#ask(200, 'GET', `/data/rest/note/id/${id}`);
    await this.#ask(200, 'DELETE', `/data/rest/note/id/${id}`);
  };

  readonly #reads = async (): Promise<void> => {
    await this.#ask(200, 'GET', '/data/rest/note?open=true&order_by=-title&limit=5');
    await this.#ask(200, 'GET', `/data/rest/note?limit=5&expression=${encodeURIComponent('.data | map(.title)')}`);
    const query = '{ notes(first: 3) { edges { node { id title } } } }';
    await this.#ask(200, 'POST', '/data/graphql', this.#service, { query });
    await this.#ask(404, 'GET', '/data/rest/note/id/nowhere');
  };

  readonly #session = async (): Promise<void> => {
    const at = positionHeaders(TENANT);
    const { json } = await this.#ask(200, 'POST', '/auth/login', at, USER);
    const { refresh_token } = json as { refresh_token: string };
    const { json: again } = await this.#ask(200, 'POST', '/auth/refresh', at, { refresh_token });
    const user = { ...at, Authorization: `Bearer ${(again as { access_token: string }).access_token}` };
    await this.#ask(200, 'GET', '/data/rest/note?limit=1', user);
    await this.#ask(200, 'POST', '/auth/logout', user);
  };

  readonly #submission = async (): Promise<void> => {
    await this.#ask(200, 'POST', '/f/contact', {}, { name: 'Ann', email: 'ann@example.org' });
    await this.#ask(422, 'POST', '/f/contact', {}, { name: 'Ann' });
  };

  /** Follows changes for a moment, and leaves. */
  readonly #subscriber = async (): Promise<void> => {
    const stream = await openEvents(`${this.#gateway}/data/changes?entity=note`, this.#service);
    if (stream.status !== 200) this.wrong.push(`${stream.status} for a subscriber`);
    this.done['subscribed'] = (this.done['subscribed'] ?? 0) + 1;
    await passed(200);
    stream.leave();
    await stream.over;
  };

  /** A caller whose body never comes whole. */
  readonly #dropped = async (): Promise<void> => {
    const wire = await Wire.open(Number(new URL(this.#gateway).port));
    wire.send(
      'POST /f/contact HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"na',
    );
    await passed(50);
    wire.end();
    this.done['dropped'] = (this.done['dropped'] ?? 0) + 1;
  };
}

test(`${PERIODS} periods of ${PERIOD_MS / 1000} s`, { timeout: 120_000 + PERIODS * PERIOD_MS * 4 }, async () => {
  const dir = mkdtempSync(join(tmpdir(), 'skep-soak-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const wish = { localdir: writeNoteProduct(dir) };
  const prepared = await startTestNode({ ...wish, dir });
  await prepared.node.ask(TENANT, 'identity', 'user.ensure', { ...USER, roles: ['tenant_user'] });
  await prepared.stop();
  const node = await startProcess(writePlatformFile(dir, wish));
  onTestFinished(async () => void (await node.end('SIGKILL')));
  const callers = new Callers(node, prepared.serviceKey);
  const held: Held[] = [];
  for (let period = 0; period < PERIODS; period++) {
    await callers.period(PERIOD_MS);
    await passed(REST_MS);
    held.push(heldBy(node.pid));
    tally({ soaked: PERIOD_MS / 1000 });
    expect(callers.wrong.slice(0, 5)).toEqual([]);
  }
  const quarter = Math.max(1, held.length >> 2);
  const [early, late] = [held.slice(quarter, 2 * quarter), held.slice(-quarter)];
  const median = (some: readonly Held[], what: keyof Held): number => medianOf(some.map((one) => one[what]));
  const shown = held.filter((_one, at) => at % Math.ceil(held.length / LOOKS_SHOWN) === 0);
  const memoryMb = shown.map((one) => Math.round(one.memoryMb));
  console.log(JSON.stringify({ first: held[0], last: held.at(-1), memoryMb, done: callers.done }));
  for (const kind of ['subscribed', 'dropped', 'POST /auth/login', 'POST /f/contact'])
    expect(callers.done[kind], kind).toBeGreaterThan(0);
  expect(
    node
      .logged()
      .split('\n')
      .filter((line) => line.includes('"level":50')),
  ).toEqual([]);
  if (PERIODS >= MEMORY_JUDGED_FROM) {
    expect(median(late, 'memoryMb') - median(early, 'memoryMb')).toBeLessThanOrEqual(GROWTH_MB_MAX);
    expect(median(late, 'descriptors') - median(early, 'descriptors')).toBeLessThanOrEqual(DESCRIPTORS_MORE_MAX);
    expect(median(late, 'threads')).toBeLessThanOrEqual(median(early, 'threads'));
  }
  expect(await node.end('SIGTERM')).toBe(0);
});
