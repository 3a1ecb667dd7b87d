/**
 * Generated histories of an offline queue: networks that break before and after the node has a request, pages that close and crash, clocks that go on for days.
 * Whatever happens, each write that the user was told of is carried out exactly once, those of a row in their order.
 */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { MemoryQueueStore } from '#test/kit/memory-queue-store.ts';
import { openTab, SharedLogin } from '#test/kit/offline-tab.ts';
import { fc } from '#test/kit/property.ts';
import { rounds } from '#test/kit/rounds.ts';
import { KeyedNode, type Network } from './keyed-node.ts';

type Step =
  | { readonly do: 'create' }
  | { readonly do: 'update'; readonly row: number; readonly conditional: boolean }
  | { readonly do: 'network'; readonly network: Network }
  | { readonly do: 'filter'; readonly isOn: boolean }
  | { readonly do: 'wait'; readonly minutes: number }
  | { readonly do: 'close' }
  | { readonly do: 'crash' };

const NETWORKS = ['works', 'before', 'after', 'hangBefore', 'hangAfter', 'portal', 'busy'] as const;
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant('create' as const) }) },
  {
    weight: 5,
    arbitrary: fc.record({ do: fc.constant('update' as const), row: fc.nat(5), conditional: fc.boolean() }),
  },
  {
    weight: 5,
    arbitrary: fc.record({ do: fc.constant('network' as const), network: fc.constantFrom<Network>(...NETWORKS) }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('filter' as const), isOn: fc.boolean() }) },
  // A minute, an hour, and times around the life of a key.
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('wait' as const), minutes: fc.constantFrom(1, 60, 1_260, 1_380, 1_500) }),
  },
  { weight: 1, arbitrary: fc.constant({ do: 'close' } as const) },
  { weight: 2, arbitrary: fc.constant({ do: 'crash' } as const) },
);

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] });
  // By the machine's clock each request, of some thousand a second here, would be held for the half minute that a client waits for its answer.
  AbortSignal.timeout = (ms) => {
    const late = new AbortController();
    setTimeout(() => late.abort(new DOMException('late', 'TimeoutError')), ms);
    return late.signal;
  };
});
const timeout = AbortSignal.timeout.bind(AbortSignal);
afterEach(() => {
  AbortSignal.timeout = timeout;
  vi.useRealTimers();
});

/** One takes half a second here, and the longest ones ten times as much. */
const RUNS = rounds({ suite: 8, ci: 30 });

/** How often the interesting cases came up, in all histories. */
const met = { asked: 0, found: 0, refused: 0, replayed: 0, filtered: 0 };

/** Something between the page and the node answers a third of the writes. */
function filter({ mark }: Record<string, unknown>): Response | null {
  if (Number(mark) % 3 !== 0) return null;
  met.filtered++;
  return new Response('blocked', { status: 403 });
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Lets a time go by, one timer after the other. Vitest's own way sleeps a real millisecond after each timer, which a busy machine makes many. */
async function pass(ms: number): Promise<void> {
  const over = new AbortController();
  setTimeout(() => over.abort(), ms);
  await turn();
  while (!over.signal.aborted) {
    vi.advanceTimersToNextTimer();
    await turn();
  }
}

/** Time goes on while it is waited for: an attempt that began before may be at a pause of its own. */
async function inTime<T>(work: Promise<T>): Promise<T> {
  const over = new AbortController();
  const end = work.finally(() => over.abort());
  end.catch(() => undefined);
  while (!over.signal.aborted) {
    await pass(100);
  }
  return end;
}

async function live(steps: readonly Step[]): Promise<void> {
  const node = new KeyedNode();
  const kept = new MemoryQueueStore();
  const login = new SharedLogin();
  login.as('ann');
  /** Marks of the writes that the user was told of, in order, and the rows they are of. */
  const told = new Map<number, string>();
  const refused = new Set<number>();
  const ids: string[] = [];
  let mark = 0;
  let tab = openTab(node.fake.fetch, login, kept, { patienceMs: 50 });

  const carriedBy = (one: number): number => node.carried.filter((write) => write.mark === one).length;
  async function write(
    row: string | null,
    work: (mark: number) => Promise<{ readonly ids: readonly string[] }>,
  ): Promise<void> {
    const mine = ++mark;
    const done = work(mine).then(
      (written) => {
        told.set(mine, row ?? written.ids[0]!);
        if (row === null) ids.push(written.ids[0]!);
      },
      () => void refused.add(mine),
    );
    await pass(60);
    await Promise.race([done, Promise.resolve()]);
  }
  async function take(one: Step): Promise<void> {
    if (one.do === 'network') node.network = one.network;
    if (one.do === 'filter') node.filter = one.isOn ? filter : null;
    if (one.do === 'create') await write(null, (n) => tab.notes.create({ mark: n }));
    if (one.do === 'update' && ids.length > 0) {
      const id = ids[one.row % ids.length]!;
      const version = one.conditional ? (node.rows.get(id)?.version ?? 1) : undefined;
      await write(id, (n) => tab.notes.update(id, { mark: n }, { version }));
    }
    if (one.do === 'wait') await pass(one.minutes * 60_000);
    if (one.do !== 'crash' && one.do !== 'close') return;
    if (one.do === 'crash') tab.crash();
    else tab.queue.close();
    tab = openTab(node.fake.fetch, login, kept, { patienceMs: 50 });
    await pass(60);
  }

  for (const one of steps) await take(one);
  node.network = 'works';
  node.filter = null;
  await pass(60_000);
  await take({ do: 'crash' });
  // The user of the test knows what became of each write.
  for (let left = 2 * mark + 2; left > 0; left--) {
    await inTime(tab.queue.replay());
    const [waiting] = (await tab.queue.entries()).filter(({ state }) => state === 'asks' || state === 'refused');
    if (waiting === undefined) break;
    const one = (waiting.body as { mark: number }).mark;
    const isThere = carriedBy(one) > 0;
    if (waiting.state === 'asks') met.asked++;
    if (waiting.state === 'asks' && isThere) met.found++;
    // What was refused was not carried out: here a condition that another write of the same history broke.
    if (waiting.state === 'refused') {
      expect(waiting.error?.status).toBe(412);
      expect(isThere).toBe(false);
      met.refused++;
    }
    await inTime(isThere ? tab.queue.drop(waiting.number) : tab.queue.keep(waiting.number));
    await pass(60);
  }
  expect(await tab.queue.entries()).toEqual([]);
  expect(kept.size).toBe(0);
  tab.queue.close();

  for (const one of told.keys()) if (!refused.has(one)) expect([one, carriedBy(one)]).toEqual([one, 1]);
  for (const one of refused) expect(carriedBy(one)).toBe(0);
  for (const { mark: one } of node.carried) expect(carriedBy(one as number)).toBe(1);
  for (const id of ids) {
    const marks = node.carried.filter((write) => write.id === id).map((write) => write.mark as number);
    expect(marks).toEqual(marks.toSorted((a, b) => a - b));
  }
  vi.clearAllTimers();
  met.replayed += node.fake.sent.length - node.carried.length;
}

const update = (conditional = false): Step => ({ do: 'update', row: 0, conditional });
/** An update that is older than its key: the second network has it, or has not. */
const asking = (network: Network, conditional = false): Step[] => [
  { do: 'create' },
  { do: 'network', network },
  update(conditional),
  { do: 'network', network: 'before' },
  { do: 'wait', minutes: 1_500 },
];

test(
  'each write is carried out exactly once, those of a row in their order, whatever breaks',
  { timeout: 60_000 + RUNS * 15_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), (steps) => live(steps)),
      {
        numRuns: RUNS,
        examples: [[asking('before')], [asking('after')], [[...asking('before', true).slice(0, 3), update(true)]]],
      },
    );
    for (const often of Object.values(met)) expect(often).toBeGreaterThan(0);
  },
);
