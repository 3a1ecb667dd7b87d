/** Which changes of a row fire a trigger, held against what readers of the row see before and after. */
import { expect, test } from 'vitest';
import { triggerEventOf } from '#actors/engine/triggers/fire.ts';
import { triggerFor } from '#test/kit/trigger-definition.ts';
import { DataTenant, entityOf, productOf, USER } from '#test/kit/data-call.ts';
import { fc } from '#test/kit/property.ts';
import type { FiredEvent, TurnOwner } from '#actors/protocol/turn-owner.ts';

const LIVE = [1, null, null, null, null];
const GONE = [1, null, null, '2026-01-01T00:00:00Z', 'u1'];

test.each([
  [null, LIVE, 'created'],
  [LIVE, LIVE, 'updated'],
  [LIVE, GONE, 'deleted'],
  [LIVE, null, 'deleted'],
  [GONE, LIVE, 'restored'],
  [GONE, GONE, null],
  [GONE, null, null],
  [null, GONE, null],
])('%j then %j is %s', (before, after, event) => {
  expect(triggerEventOf(before, after)).toBe(event);
});

const order = entityOf(
  'order',
  { status: { type: 'string' }, total: { type: 'integer' }, tags: { type: 'json' } },
  { traits: ['soft_delete'] },
);
const quiet = entityOf('quiet', { status: { type: 'string' } });

/** A tenant whose fired events are caught instead of staged. */
async function caught(triggers: ReturnType<typeof triggerFor>[]) {
  const tenant = await DataTenant.open({ ...productOf([order, quiet]), triggers });
  const fired: FiredEvent[] = [];
  const failed: string[] = [];
  Object.assign(tenant.activation, {
    triggerWatch: {
      stage: (_turn: unknown, events: readonly FiredEvent[]) => void fired.push(...events),
      conditionFailed: (trigger: string) => void failed.push(trigger),
    } satisfies { stage: unknown; conditionFailed: TurnOwner['conditionFailed'] },
  });
  const send = (method: 'POST' | 'PATCH' | 'DELETE', path: string, body?: unknown) =>
    tenant.send(method, `/data/rest/${path}`, body, { principal: USER });
  return { send, fired, failed };
}

test('a condition compares the row with the one before; one that gives no answer fires nothing and is reported', async () => {
  const { send, fired, failed } = await caught([
    triggerFor('grew', { events: ['updated'], when: 'row.total > old.total' }),
    triggerFor('odd', { events: ['created'], when: 'old.total == 1' }),
  ]);
  const { body } = await send('POST', 'order', { total: 1 });
  const id = body.data[0].id as string;
  await send('PATCH', `order/id/${id}`, { total: 2 });
  await send('PATCH', `order/id/${id}`, { total: 1 });
  expect(fired).toEqual([
    { trigger: 'grew', kind: 'webhook', entity: 'order', event: 'updated', key: id, version: expect.any(Number) },
  ]);
  expect(failed).toEqual(['odd']);
});

test('a refused call and an entity without triggers fire nothing', async () => {
  const { send, fired } = await caught([triggerFor('all', { events: ['created', 'updated', 'deleted'] })]);
  await send('POST', 'order', { total: 'x' });
  await send('POST', 'quiet', { status: 'a' });
  expect(fired).toEqual([]);
});

test('any history of a row fires what its readers see happen, fields that stay the same among it', async () => {
  const { send, fired } = await caught([
    triggerFor('all', { events: ['created', 'updated', 'deleted', 'restored'] }),
    triggerFor('status', { events: ['updated'], changed: ['status', 'tags'] }),
  ]);
  const value = fc.record(
    { status: fc.constantFrom('a', 'b'), total: fc.nat(2), tags: fc.constantFrom([1], [1, 2]) },
    { requiredKeys: [] },
  );
  const act = fc.oneof(
    fc.record({ verb: fc.constant('PATCH' as const), fields: value }),
    fc.record({ verb: fc.constant('DELETE' as const) }),
    fc.record({ verb: fc.constant('restore' as const) }),
  );
  const reached = new Set<string>();
  await fc.assert(
    fc.asyncProperty(value, fc.array(act, { maxLength: 12 }), async (first, acts) => {
      fired.length = 0;
      const created = await send('POST', 'order', { status: 'a', total: 0, tags: [1], ...first });
      const id = created.body.data[0].id as string;
      let row: Record<string, unknown> = created.body.data[0];
      let live = true;
      const expected = ['all created'];
      for (const one of acts) {
        if (one.verb === 'PATCH') {
          const answer = await send('PATCH', `order/id/${id}`, one.fields);
          if (!live || answer.status !== 200) continue;
          const next = answer.body.data[0] as Record<string, unknown>;
          const differs = (name: string): boolean => JSON.stringify(next[name]) !== JSON.stringify(row[name]);
          if (['status', 'total', 'tags'].some(differs)) expected.push('all updated');
          if (differs('status') || differs('tags')) expected.push('status updated');
          row = next;
        } else if (one.verb === 'DELETE') {
          if ((await send('DELETE', `order/id/${id}`)).status === 200 && live) expected.push('all deleted');
          live = false;
        } else {
          if ((await send('POST', `order/id/${id}/restore`)).status === 200 && !live) expected.push('all restored');
          live = true;
        }
      }
      expect(fired.map(({ trigger, event }) => `${trigger} ${event}`)).toEqual(expected);
      expect(fired.every(({ key }) => key === id)).toBe(true);
      for (const one of expected) reached.add(one);
    }),
    { numRuns: 200 },
  );
  expect([...reached].toSorted()).toEqual(
    ['all created', 'all deleted', 'all restored', 'all updated', 'status updated'].toSorted(),
  );
});
