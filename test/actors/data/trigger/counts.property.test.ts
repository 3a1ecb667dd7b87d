/**
 * Counts of triggers against what lies in the store: whatever is staged, ends, is put back or dropped, in turns that are kept or not, with crashes
 * between them and a clock that is set back.
 */
import { expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { Work } from '#actors/host/work.ts';
import { dataService } from '#actors/data/service.ts';
import { NO_TRIGGER_PORTS } from '#actors/data/trigger/wake.ts';
import { dropEvent, listTriggers, retryEvent } from '#actors/data/trigger/events.ts';
import { triggersOf } from '#actors/data/trigger/part.ts';
import { countMark, eventRows, type StoredCount, type TriggerEntry } from '#actors/data/trigger/store.ts';
import { TABLES } from '#storage/catalogue.ts';
import { MemoryStore } from '#test/storage/memory.ts';
import { Table } from '#storage/table.ts';
import { DataTenant, entityOf, productOf } from '#test/kit/data-call.ts';
import { fc } from '#test/kit/property.ts';
import { rounds } from '#test/kit/rounds.ts';
import { triggerFor } from '#test/kit/trigger-definition.ts';

const RUNS = rounds({ suite: 100, ci: 500 }, 'SKEP_QUERY_RUNS');
const seed = Date.now() & 0x7fffffff;
const NAMES = ['told', 'heard', 'run'] as const;
type Name = (typeof NAMES)[number];
const CREATED = { entity: 'order', event: 'created', version: 1, depth: 1 } as const;
const KIND = { told: 'webhook', heard: 'webhook', run: 'script' } as const;
const script = {
  kind: 'script',
  role: 'clerk',
  source: 'run();',
  sourceAt: { file: 'a', line: 1, column: 1 },
} as const;
const product = {
  ...productOf([entityOf('order', { number: { type: 'string' } })]),
  triggers: [triggerFor('told'), triggerFor('heard'), triggerFor('run', { target: script })],
};
const service = () => dataService({ triggers: { ...NO_TRIGGER_PORTS, after: () => undefined } });

const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant('stage' as const), of: fc.nat(2), many: fc.nat(30), kept: fc.boolean() }),
  },
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant('end' as const), at: fc.nat(500), sent: fc.boolean(), kept: fc.boolean() }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('retry' as const), at: fc.nat(500), kept: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('drop' as const), at: fc.nat(500), kept: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('crash' as const), back: fc.boolean() }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

interface Told {
  waiting: number;
  delivered: number;
  failed: number;
}

test(`counts are those of the store, also after a crash (seed ${seed})`, async () => {
  const reached = { unstored: 0, marked: 0, undone: 0, retried: 0, ended: 0, back: 0 };
  const property = fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
    const store = new MemoryStore();
    let tenant = await DataTenant.open(product, { store, service: service() });
    const expected = Object.fromEntries(NAMES.map((name) => [name, { waiting: 0, delivered: 0, failed: 0 }])) as Record<
      Name,
      Told
    >;
    const ended: { id: string; trigger: Name }[] = [];

    const turnOf = (kept: boolean, piece: (work: Work) => void): boolean => {
      const work = new Work(tenant.activation);
      piece(work);
      if (kept) work.commit();
      else work.abort();
      reached.undone += kept ? 0 : 1;
      return kept;
    };
    const outboxOf = (trigger: Name) => triggersOf(tenant.activation).sinks.outbox[KIND[trigger]];
    const waiting = (): TriggerEntry[] => {
      const turn = store.begin();
      const all = Object.values(eventRows).flatMap(({ table, under }) => [...table.scan(turn, under)]);
      turn.abort();
      return all;
    };

    const perform: { [K in Step['do']]: (one: Extract<Step, { do: K }>) => Promise<void> | void } = {
      stage({ of, many, kept }) {
        const trigger = NAMES[of]!;
        const common = { ...CREATED, trigger, kind: KIND[trigger] };
        const { ids } = tenant.activation.context;
        const entries = Array.from({ length: many }, (_, key) => ({
          ...common,
          id: ids.next(),
          key,
          at: '2026-01-01T00:00:00.000Z',
        }));
        if (turnOf(kept, (work) => void outboxOf(trigger).stage(work.turn(), entries, trigger)))
          expected[trigger].waiting += many;
      },
      end({ at, sent, kept }) {
        const all = waiting();
        const one = all[at % all.length];
        if (one === undefined) return;
        const trigger = one.trigger as Name;
        const outcome = sent ? 'sent' : 'refused';
        const answer = { tenantNo: 1, id: one.id, outcome, attempts: 1, status: 200, error: null } as const;
        const outbox = outboxOf(trigger) as unknown as { settle(work: Work, ended: typeof answer): null };
        if (!turnOf(kept, (work) => void outbox.settle(work, answer))) return;
        reached.ended++;
        expected[trigger].waiting--;
        expected[trigger][sent ? 'delivered' : 'failed']++;
        if (!sent) ended.push({ id: one.id, trigger });
      },
      retry({ at, kept }) {
        const one = ended[at % ended.length];
        if (one === undefined || !turnOf(kept, (work) => expect(retryEvent(work, one.id)).toBe('retried'))) return;
        reached.retried++;
        expected[one.trigger].waiting++;
        ended.splice(ended.indexOf(one), 1);
      },
      drop({ at, kept }) {
        const all = waiting();
        const one = all[at % all.length];
        if (one === undefined || !turnOf(kept, (work) => void dropEvent(work, one.id))) return;
        const trigger = one.trigger as Name;
        expected[trigger].waiting--;
        expected[trigger].failed++;
        ended.push({ id: one.id, trigger });
      },
      async crash({ back }) {
        const turn = store.begin();
        const mark = countMark(turn);
        turn.abort();
        if (mark !== undefined) reached.marked++;
        if (mark !== undefined && waiting().some(({ id }) => id > mark)) reached.unstored++;
        if (back) reached.back++;
        const clock = tenant.clock;
        tenant = await DataTenant.open(product, { store, provision: false, service: service() });
        tenant.clock.set(clock.now() + (back ? -60_000 : 5));
      },
    };

    for (const one of steps) {
      await (perform[one.do] as (given: Step) => Promise<void> | void)(one);
      tenant.clock.advance(1);
      const work = new Work(tenant.activation);
      const shown = listTriggers(work);
      work.abort();
      for (const name of NAMES)
        expect(
          shown.find((trigger) => trigger.name === name),
          JSON.stringify(one),
        ).toMatchObject(expected[name]);
    }
    expect(waiting()).toHaveLength(NAMES.reduce((sum, name) => sum + expected[name].waiting, 0));
  });
  await fc.assert(property, { seed, numRuns: RUNS });
  for (const [what, times] of Object.entries(reached)) expect(times, what).toBeGreaterThan(RUNS / 20);
  expect(limits.triggers.uncountedMax).toBe(64);
}, 3_600_000);

test('a count that a Skep without marks has written is taken as it is', async () => {
  const store = new MemoryStore();
  const open = (provision = true) => DataTenant.open(product, { store, provision, service: service() });
  let tenant = await open();
  const stage = (many: number): void => {
    const common = { ...CREATED, trigger: 'told', kind: 'webhook' } as const;
    const { ids } = tenant.activation.context;
    const work = new Work(tenant.activation);
    for (let key = 0; key < many; key++) {
      const entry = { ...common, id: ids.next(), key, at: '2026-01-01T00:00:00.000Z' };
      triggersOf(tenant.activation).sinks.outbox.webhook.stage(work.turn(), [entry], 'told');
    }
    work.commit();
  };
  const shown = (): number => {
    const work = new Work(tenant.activation);
    const [told] = listTriggers(work);
    work.abort();
    return told!.waiting;
  };
  stage(3);
  // The older one counts what it stages in the record, and keeps the members that it does not know.
  const counts = new Table<StoredCount>('trigger_count', TABLES.trigger_count);
  const turn = store.begin();
  counts.put(turn, { ...counts.get(turn, 'told')!, waiting: 3 }, 'told');
  turn.commit();
  tenant = await open(false);
  expect(shown()).toBe(3);
  stage(2);
  expect(shown()).toBe(5);
  tenant = await open(false);
  expect(shown()).toBe(5);
});
