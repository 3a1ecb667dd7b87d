/** The change feed: what an idle subscriber costs, how soon many are told of a write, and what they cost the writes. */
import type { Socket } from 'node:net';
import { limits } from '#config/limits.ts';
import type { Bench, BenchCase } from './harness.ts';
import type { Figure } from './kit/figure.ts';
import { subscribeTo, withFeedNode, type FeedNode } from './kit/feed-node.ts';
import { number } from './kit/format.ts';
import { nowMs } from './kit/monotonic.ts';
import { timesOf } from './kit/stats.ts';
import { steadyWriter, type SteadyWriter, type SteadyWrites } from './kit/steady-writes.ts';

const { perCallerMax, perTenantMax } = limits.changes;
const SECONDS = 10;
const OPENED_AT_ONCE = 50;
const KB_MAX = 12;
const P99_MS_MAX = 50;
/** Beside subscribers the p99 of creates may be so many times as long. */
const WRITES_MAX = 2;
/** Of many subscribers so many are read; the others only take what they are sent, for the reader is one thread, too. */
const READ = 20;

/** Opens subscribers, each caller as many as it may have. `from`: so many are open. */
async function open(node: FeedNode, count: number, told?: (text: string) => void, from = 0): Promise<Socket[]> {
  const sockets: Socket[] = [];
  let next = from;
  const line = async (): Promise<void> => {
    for (let no = next++; no < from + count; no = next++)
      sockets.push(await subscribeTo(node, node.callers[Math.floor(no / perCallerMax)]!, no < READ ? told : undefined));
  };
  await Promise.all(Array.from({ length: Math.min(count, OPENED_AT_ONCE) }, line));
  return sockets;
}

const leave = (sockets: readonly Socket[]): void => sockets.forEach((socket) => socket.destroy());

/** So many are asked for on one node. */
const IDLE = 10_000;

/**
 * What the second half costs beside the first: the first one grows what threads keep for work that comes and goes, such as the young part of their
 * heaps, whose size after a burst of so many is a matter of chance.
 */
async function idle(bench: Bench): Promise<Figure> {
  const tenants = IDLE / perTenantMax;
  const { hosts = 1 } = bench.options;
  bench.log(`  ${number(IDLE)} idle subscribers`);
  return withFeedNode(bench.dataDir, { tenants, callers: perTenantMax / perCallerMax, hosts }, async (node) => {
    // The first of each tenant wakes it, and compiles what all use.
    const first = await Promise.all(
      Array.from({ length: tenants }, (_, no) => subscribeTo(node, node.callers[(no * perTenantMax) / perCallerMax]!)),
    );
    leave(first);
    const sockets = await open(node, IDLE / 2);
    const before = await node.residentBytes();
    sockets.push(...(await open(node, IDLE / 2, undefined, IDLE / 2)));
    const kb = ((await node.residentBytes()) - before) / (IDLE / 2) / 1000;
    leave(sockets);
    return {
      name: 'changes-feed, an idle subscriber',
      unit: 'MB',
      value: kb / 1000,
      errors: 0,
      target: { of: 'value', bound: 'max', than: KB_MAX / 1000 },
      note: `${kb.toFixed(1)} KB resident for each beside ${number(IDLE / 2)} others, garbage collected, ${hosts} tenant host(s)`,
    };
  });
}

const NO = /"no":(\d+)/g;
/** A rate is sustained when so much of it is kept, and the last write is told so soon after its answer: at one that is not, what is not told yet grows. */
const KEPT_MIN = 0.98;
const TOLD_MS_MAX = 200;
const SEARCH_SECONDS = 5;
/** Until what creates run is compiled: without it the first figures are those of a node that has just begun. */
const [WARM_PER_SECOND, WARM_SECONDS] = [1000, 10];
const SEARCH_STEPS = 5;
/** Figures are those of this share of the highest sustained rate. */
const SHARE = 0.7;

interface Heard {
  readonly writes: SteadyWrites;
  /** From the answer of a write, which leaves when it is on the disk, to each socket that is read. Before the answer counts as 0. */
  readonly late: readonly number[];
  readonly missing: number;
  readonly isSustained: boolean;
}

/** A tenant's subscribers, and writes beside them. */
class Audience {
  readonly #node: FeedNode;
  readonly #writer: SteadyWriter;
  readonly #read: number;
  #sockets: Socket[] = [];
  #heard: { readonly no: number; readonly at: number }[] = [];
  #next = 0;
  /** The first write of this run: what is told of earlier ones does not count. */
  #first = 0;

  constructor(node: FeedNode, writer: SteadyWriter, subscribers: number) {
    this.#node = node;
    this.#writer = writer;
    this.#read = Math.min(READ, subscribers);
  }

  async open(subscribers: number): Promise<void> {
    this.#sockets = await open(this.#node, subscribers, (text) => {
      const at = nowMs();
      for (const [, no] of text.matchAll(NO)) if (Number(no) >= this.#first) this.#heard.push({ no: Number(no), at });
    });
  }

  /** Subscribers that only take what they are sent: reading it would take the cores that the node works on. */
  async fill(subscribers: number): Promise<void> {
    this.#sockets = await open(this.#node, subscribers);
  }

  leave(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async hear(perSecond: number, seconds: number): Promise<Heard> {
    this.#heard = [];
    const first = this.#next;
    this.#first = first;
    const writes = await this.write(perSecond, seconds);
    const due = writes.answeredAt.length * this.#read;
    const answered = nowMs();
    for (let rest = 200; this.#heard.length < due && rest > 0; rest--) await new Promise((r) => setTimeout(r, 50));
    const late = this.#heard.flatMap(({ no, at }) => {
      const since = writes.answeredAt[no - first];
      return since === undefined ? [] : [Math.max(0, at - since)];
    });
    const last = this.#heard.at(-1)?.at ?? Number.POSITIVE_INFINITY;
    const isKept = writes.errors === 0 && writes.perSecond >= KEPT_MIN * perSecond;
    const isSustained = isKept && late.length >= due && last - answered <= TOLD_MS_MAX;
    return { writes, late, missing: due - late.length, isSustained };
  }

  async write(perSecond: number, seconds: number): Promise<SteadyWrites> {
    const { gateway, callers } = this.#node;
    const first = this.#next;
    const writes = await this.#writer.write({ gateway, headers: callers[0]!, first, perSecond, seconds });
    this.#next += writes.answeredAt.length;
    return writes;
  }
}

/** The highest rate of writes that lasts beside these subscribers, from `asked` on in steps. */
async function highest(audience: Audience, subscribers: number, asked: number, bench: Bench): Promise<number> {
  let [good, bad] = [0, Number.POSITIVE_INFINITY];
  let rate = asked;
  for (let step = 0; step < SEARCH_STEPS; step++) {
    const { isSustained } = await audience.hear(rate, SEARCH_SECONDS);
    bench.log(`  ${number(rate)} writes/s: ${isSustained ? 'sustained' : 'not sustained'}`);
    if (isSustained) good = rate;
    else {
      bad = rate;
      // Subscribers that fell too far behind were told `reset`, and would hear nothing more.
      audience.leave();
      await audience.open(subscribers);
    }
    rate = Math.round(bad === Number.POSITIVE_INFINITY ? good * 2 : good === 0 ? bad / 2 : Math.sqrt(good * bad));
  }
  return good;
}

async function fanOut(
  node: FeedNode,
  writer: SteadyWriter,
  subscribers: number,
  asked: number,
  bench: Bench,
): Promise<Figure[]> {
  const { seconds = SECONDS } = bench.options;
  const audience = new Audience(node, writer, subscribers);
  await audience.open(subscribers);
  const most = await highest(audience, subscribers, asked, bench);
  const perSecond = Math.max(1, Math.round(SHARE * most));
  const { writes, late, missing } = await audience.hear(perSecond, seconds);
  audience.leave();
  const times = timesOf(late.length === 0 ? [Number.POSITIVE_INFINITY] : late);
  const who = `changes-feed, ${number(subscribers)} subscribers`;
  return [
    {
      name: `${who}: highest sustained`,
      unit: 'req/s',
      value: most,
      errors: 0,
      target: { of: 'value', bound: 'min', than: asked },
      note: `writes/s in runs of ${SEARCH_SECONDS} s, each told within ${TOLD_MS_MAX / 1000} s: ${number(most * subscribers)} changes told a second`,
    },
    {
      name: `${who} at ${SHARE} of it`,
      unit: 'ms',
      value: times.p99Ms,
      ...times,
      errors: writes.errors + missing,
      target: { of: 'p99Ms', bound: 'max', than: P99_MS_MAX },
      note: `from the answer of a write to ${Math.min(READ, subscribers)} sockets that are read; ${keptNote(writes.perSecond, perSecond)}`,
    },
  ];
}

const keptNote = (kept: number, asked: number): string =>
  `${number(kept)} of ${number(asked)} writes/s kept${kept < KEPT_MIN * asked ? '; THE LOAD FELL BEHIND' : ''}`;

/** The creates of so many pairs count together: one stall of a machine that others use is the p99 of a single run. */
const PAIRS = 5;

/** The same creates with subscribers and without, in turn. */
async function beside(
  node: FeedNode,
  writer: SteadyWriter,
  subscribers: number,
  perSecond: number,
  seconds: number,
): Promise<Figure> {
  const audience = new Audience(node, writer, subscribers);
  // Once beside subscribers, too: the first tenth of a second of that is compilation, and would be the p99 of a run.
  await audience.fill(subscribers);
  await audience.write(perSecond, WARM_SECONDS);
  audience.leave();
  const pairs: { readonly alone: SteadyWrites; readonly watched: SteadyWrites }[] = [];
  while (pairs.length < PAIRS) {
    const alone = await audience.write(perSecond, seconds);
    await audience.fill(subscribers);
    pairs.push({ alone, watched: await audience.write(perSecond, seconds) });
    audience.leave();
  }
  const timesIn = (side: 'alone' | 'watched') => timesOf(pairs.flatMap((pair) => pair[side].tookMs));
  const [without, times] = [timesIn('alone'), timesIn('watched')];
  return {
    name: `changes-feed, creates at ${number(perSecond)}/s beside ${number(subscribers)} subscribers`,
    unit: 'ms',
    value: times.p99Ms,
    ...times,
    ceiling: without.p99Ms,
    ratio: times.p99Ms / without.p99Ms,
    rival: { name: 'without subscribers', ...without },
    errors: pairs.reduce((sum, { alone, watched }) => sum + alone.errors + watched.errors, 0),
    target: { of: 'ratio', bound: 'max', than: WRITES_MAX },
    note: `all creates of ${PAIRS} pairs; ${keptNote(Math.min(...pairs.map(({ watched }) => watched.perSecond)), perSecond)}`,
  };
}

async function measure(bench: Bench): Promise<Figure[]> {
  const { hosts, seconds = SECONDS } = bench.options;
  const callers = perTenantMax / perCallerMax;
  const writer = steadyWriter();
  const told = await withFeedNode(bench.dataDir, { tenants: 1, callers, hosts }, async (node) => {
    await new Audience(node, writer, 0).write(WARM_PER_SECOND, WARM_SECONDS);
    return [
      await beside(node, writer, 100, 1000, seconds),
      ...(await fanOut(node, writer, 100, 1000, bench)),
      ...(await fanOut(node, writer, perTenantMax, 50, bench)),
    ];
  }).finally(() => writer.end());
  return [await idle(bench), ...told];
}

export const changesFeed: BenchCase = {
  name: 'changes-feed',
  measures:
    'subscribers of changes: memory of an idle one, highest rate of writes, from write to socket, creates beside them',
  target: `≤ ${KB_MAX} KB each; 1,000 writes/s to 100, 50 to 1,000; p99 ≤ ${P99_MS_MAX} ms; creates ≤ ${WRITES_MAX} × their p99 alone`,
  http: false,
  seconds: ({ seconds = SECONDS }) =>
    (2 * PAIRS + 2) * seconds + 2 * SEARCH_STEPS * SEARCH_SECONDS + 2 * WARM_SECONDS + 60,
  run: measure,
};
