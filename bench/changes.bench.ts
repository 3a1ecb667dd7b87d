/** The change feed: what an idle subscriber costs, how soon many are told of a write, and what they cost the writes. */
import { once } from 'node:events';
import { Agent, request as ask } from 'node:http';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { limits } from '#config/limits.ts';
import type { Bench, BenchCase } from './harness.ts';
import type { Figure } from './kit/figure.ts';
import { subscribeTo, withFeedNode } from './kit/feed-node.ts';
import type { FeedNode } from './kit/feed-node.ts';
import { number } from './kit/format.ts';
import { timesOf } from './kit/stats.ts';

const { perCallerMax, perTenantMax, perNodeMax } = limits.changes;
const SECONDS = 10;
const OPENED_AT_ONCE = 50;
const KB_MAX = 12;
const P99_MS_MAX = 50;
/** Beside subscribers the p99 of creates may be so many times as long. */
const WRITES_MAX = 2;
const WRITERS = 64;
/** Of many subscribers so many are read; the others only take what they are sent, for the reader is one thread, too. */
const READ = 20;
/** Below this share of the rate that was asked for the figure is that of another load. */
const KEPT_MIN = 0.98;

/** Opens subscribers, each caller as many as it may have. */
async function open(node: FeedNode, count: number, told?: (text: string) => void): Promise<Socket[]> {
  const sockets: Socket[] = [];
  let next = 0;
  const line = async (): Promise<void> => {
    for (let no = next++; no < count; no = next++)
      sockets.push(await subscribeTo(node, node.callers[Math.floor(no / perCallerMax)]!, no < READ ? told : undefined));
  };
  await Promise.all(Array.from({ length: Math.min(count, OPENED_AT_ONCE) }, line));
  return sockets;
}

const leave = (sockets: readonly Socket[]): void => sockets.forEach((socket) => socket.destroy());

/** As many as the node takes: its bound is shared by its hosts in equal parts, so tenants of one host may meet it first. */
async function idle(bench: Bench): Promise<Figure> {
  const tenants = Math.floor(perNodeMax / perTenantMax);
  const count = tenants * perTenantMax;
  const { hosts = 1 } = bench.options;
  bench.log(`  ${number(count)} idle subscribers`);
  return withFeedNode(bench.dataDir, { tenants, callers: perTenantMax / perCallerMax, hosts }, async (node) => {
    // The first of each tenant wakes it, and compiles what all use.
    const first = await Promise.all(
      Array.from({ length: tenants }, (_, no) => subscribeTo(node, node.callers[(no * perTenantMax) / perCallerMax]!)),
    );
    leave(first);
    const before = await node.residentBytes();
    const sockets = await open(node, count);
    const kb = ((await node.residentBytes()) - before) / count / 1000;
    leave(sockets);
    return {
      name: 'changes-feed, an idle subscriber',
      unit: 'MB',
      value: kb / 1000,
      errors: 0,
      target: { of: 'value', bound: 'max', than: KB_MAX / 1000 },
      note: `${kb.toFixed(1)} KB resident for each of ${number(count)}, garbage collected, ${hosts} tenant host(s)`,
    };
  });
}

interface Written {
  /** When each write was answered, by its number; milliseconds of this process. */
  readonly answeredAt: ReadonlyMap<number, number>;
  /** From the moment that each was due to its answer. */
  readonly tookMs: readonly number[];
  readonly errors: number;
  readonly perSecond: number;
}

let written = 0;

/** Creates at a fixed rate: each is sent when it is due, whatever became of those before, so that no stall is hidden. */
async function write(node: FeedNode, perSecond: number, seconds: number): Promise<Written> {
  const agent = new Agent({ keepAlive: true, maxSockets: WRITERS });
  const answeredAt = new Map<number, number>();
  const tookMs: number[] = [];
  let errors = 0;
  const one = async (no: number, due: number): Promise<void> => {
    if ((await create(node, agent, no)) !== 201) errors++;
    const now = performance.now();
    answeredAt.set(no, now);
    tookMs.push(now - due);
  };
  const began = performance.now();
  const count = Math.round(perSecond * seconds);
  const under: Promise<void>[] = [];
  for (let sent = 0; sent < count;) {
    const due = Math.min(count, Math.floor(((performance.now() - began) * perSecond) / 1000) + 1);
    for (; sent < due; sent++) under.push(one(written++, began + (sent * 1000) / perSecond));
    await new Promise<void>((resolve) => setTimeout(resolve, 1));
  }
  await Promise.all(under);
  agent.destroy();
  return { answeredAt, tookMs, errors, perSecond: (count * 1000) / (performance.now() - began) };
}

async function create({ gateway, callers }: FeedNode, agent: Agent, no: number): Promise<number> {
  const body = JSON.stringify({ place: 'here', no });
  const headers = { ...callers[0]!, 'Content-Type': 'application/json', 'Content-Length': body.length };
  const sent = ask(`${gateway}/data/rest/signal`, { method: 'POST', agent, headers });
  sent.end(body);
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  answer.resume();
  await once(answer, 'end');
  return answer.statusCode ?? 0;
}

const NO = /"no":(\d+)/g;

/** From the answer of a write, which leaves when it is on the disk, to each subscriber that is read. Before the answer counts as 0. */
async function fanOut(node: FeedNode, subscribers: number, perSecond: number, seconds: number): Promise<Figure> {
  const heard: { readonly no: number; readonly at: number }[] = [];
  const sockets = await open(node, subscribers, (text) => {
    const at = performance.now();
    for (const [, no] of text.matchAll(NO)) heard.push({ no: Number(no), at });
  });
  const read = Math.min(READ, subscribers);
  const { answeredAt, errors, perSecond: kept } = await write(node, perSecond, seconds);
  const due = answeredAt.size * read;
  for (let rest = 100; heard.length < due && rest > 0; rest--) await new Promise((resolve) => setTimeout(resolve, 50));
  leave(sockets);
  const late = heard.flatMap(({ no, at }) => {
    const answered = answeredAt.get(no);
    return answered === undefined ? [] : [Math.max(0, at - answered)];
  });
  const times = timesOf(late.length === 0 ? [Number.POSITIVE_INFINITY] : late);
  return {
    name: `changes-feed, ${number(subscribers)} subscribers at ${number(perSecond)} writes/s`,
    unit: 'ms',
    value: times.p99Ms,
    ...times,
    errors: errors + (due - late.length),
    target: { of: 'p99Ms', bound: 'max', than: P99_MS_MAX },
    note: `from the answer of a write to ${read} sockets that are read; ${keptNote(kept, perSecond)}`,
  };
}

const keptNote = (kept: number, asked: number): string =>
  `${number(kept)} of ${number(asked)} writes/s kept${kept < KEPT_MIN * asked ? '; THE LOAD FELL BEHIND' : ''}`;

/** The same creates with subscribers and without, in turn. */
async function beside(node: FeedNode, subscribers: number, perSecond: number, seconds: number): Promise<Figure> {
  const alone = await write(node, perSecond, seconds);
  const sockets = await open(node, subscribers);
  const watched = await write(node, perSecond, seconds);
  leave(sockets);
  const [without, times] = [timesOf(alone.tookMs), timesOf(watched.tookMs)];
  return {
    name: `changes-feed, creates at ${number(perSecond)}/s beside ${number(subscribers)} subscribers`,
    unit: 'ms',
    value: times.p99Ms,
    ...times,
    ceiling: without.p99Ms,
    ratio: times.p99Ms / without.p99Ms,
    rival: { name: 'without subscribers', ...without },
    errors: alone.errors + watched.errors,
    target: { of: 'ratio', bound: 'max', than: WRITES_MAX },
    note: keptNote(watched.perSecond, perSecond),
  };
}

async function measure(bench: Bench): Promise<Figure[]> {
  const { hosts, seconds = SECONDS } = bench.options;
  const callers = perTenantMax / perCallerMax;
  const told = await withFeedNode(bench.dataDir, { tenants: 1, callers, hosts }, async (node) => {
    await write(node, 200, 1);
    return [
      await beside(node, 100, 1000, seconds),
      await fanOut(node, 100, 1000, seconds),
      await fanOut(node, perTenantMax, 50, seconds),
    ];
  });
  return [await idle(bench), ...told];
}

export const changesFeed: BenchCase = {
  name: 'changes-feed',
  measures: 'subscribers of changes: memory of an idle one, from write to socket, creates beside them',
  target: `≤ ${KB_MAX} KB each; p99 ≤ ${P99_MS_MAX} ms; creates ≤ ${WRITES_MAX} × their p99 alone`,
  http: false,
  seconds: ({ seconds = SECONDS }) => 4 * seconds + 60,
  run: measure,
};
