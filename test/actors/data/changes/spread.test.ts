/** A round under steady writes is served in parts; what cannot wait is served at once. */
import { expect, test } from 'vitest';
import { Spread } from '#actors/data/changes/spread.ts';
import { isRefusal } from '#actors/protocol/refusal.ts';
import type { Principal } from '#actors/protocol/principal.ts';
import { dataService } from '#actors/data/service.ts';
import { limits } from '#config/limits.ts';
import { MemoryStore } from '#test/storage/memory.ts';
import { DataTenant, entityOf, productOf, USER } from '#test/kit/data-call.ts';

const { gatherMs, spreadParts, perCallerMax } = limits.changes;
const PART_MS = gatherMs / spreadParts;

test('a part is a share of those that wait, and at least so many', () => {
  const spread = new Spread({ parts: 5, ms: 20, least: 20, after: () => undefined });
  expect(spread.share).toBe(Number.POSITIVE_INFINITY);
  expect(spread.pause()).toBeNull();
  spread.begin(1000);
  expect(spread.share).toBe(200);
  spread.begin(7);
  expect(spread.share).toBe(20);
});

test('a pause ends by its timer, or as soon as something cannot wait', async () => {
  const timers: [number, () => void][] = [];
  const spread = new Spread({ parts: 5, ms: 20, least: 20, after: (ms, run) => void timers.push([ms, run]) });
  spread.begin(100);
  const first = spread.pause();
  expect(timers[0]![0]).toBe(4);
  timers[0]![1]();
  await first;
  const second = spread.pause();
  spread.hurry();
  await second;
  expect([spread.share, spread.pause()]).toEqual([Number.POSITIVE_INFINITY, null]);
});

test('without a timer nothing is spread', () => {
  const spread = new Spread({ parts: 5, ms: 20, least: 20, after: undefined });
  spread.begin(100);
  expect([spread.share, spread.pause()]).toEqual([Number.POSITIVE_INFINITY, null]);
});

test('subscribers: the first change reaches all at once, the next ones reach them in parts', async () => {
  const timers: { readonly ms: number; readonly run: () => void }[] = [];
  const checked = (authorization: string): Principal => ({ ...USER, subject: authorization.slice('Bearer '.length) });
  const note = entityOf('note', { id: { type: 'string' } }, { changes: true });
  const service = dataService({
    bearers: () => ({ check: checked }),
    every: () => () => undefined,
    after: (ms, run) => void timers.push({ ms, run }),
  });
  const tenant = await DataTenant.open(productOf([note]), { store: new MemoryStore(), service });
  const by = (subject: string) => ({ principal: { ...USER, subject }, authorization: `Bearer ${subject}` });
  const create = async (id: string): Promise<void> => {
    expect((await tenant.send('POST', '/data/rest/note', { id }, by('writer'))).status).toBe(201);
  };
  /** How many subscribers have been told of each row. */
  const told = { a: 0, b: 0 };
  const CALLERS = 5;
  for (let no = 0; no < CALLERS * perCallerMax; no++) {
    const asked = { ...by(`user ${no % CALLERS}`), extra: 'accept:text/event-stream\n' };
    const { outcome } = await tenant.begin('GET', '/data/changes?entity=note', undefined, asked);
    if (isRefusal(outcome) || outcome.stream === undefined) throw new Error('no stream');
    const { pieces } = outcome.stream;
    void (async () => {
      for await (const piece of pieces) {
        const text = Buffer.from(piece).toString();
        if (text.includes('"id":"a"')) told.a++;
        if (text.includes('"id":"b"')) told.b++;
      }
    })();
  }
  const fire = (ms: number): void => {
    const at = timers.findIndex((timer) => timer.ms === ms);
    expect(at).toBeGreaterThanOrEqual(0);
    timers.splice(at, 1)[0]!.run();
  };
  const all = CALLERS * perCallerMax;
  await create('a');
  await expect.poll(() => told.a).toBe(all);
  await create('b');
  expect(told.b).toBe(0);
  fire(gatherMs);
  await expect.poll(() => told.b).toBe(all / spreadParts);
  await expect.poll(() => timers.map(({ ms }) => ms)).toContain(PART_MS);
  fire(PART_MS);
  await expect.poll(() => told.b).toBe((2 * all) / spreadParts);
  for (let parts = 2; parts < spreadParts; parts++) {
    await expect.poll(() => timers.map(({ ms }) => ms)).toContain(PART_MS);
    fire(PART_MS);
    await expect.poll(() => told.b).toBe(((parts + 1) * all) / spreadParts);
  }
});
