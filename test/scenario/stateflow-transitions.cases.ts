/** The rows of docs/contract/data-behaviour.md §1.4, for stateflows.test.ts. */
import { describe, expect, test } from 'vitest';
import type { DataNode } from '#test/kit/data-node.ts';
import { bodyOf, codeOf, ordersOf, type Proof } from './stateflow-orders.ts';

/** Declares the cases over a node that serves the product `orders`. */
export function transitionCases(on: DataNode): void {
  const { ask } = on;
  const { order, write, statusOf } = ordersOf(on);

  const transitions: readonly Proof[] = [
    [
      'none | create with the state field omitted | machine declared | initial_state',
      async () => expect(await order()).toMatchObject({ status: 'draft', payment: 'open', version: 1 }),
    ],
    [
      'decisions: a create may name any declared state',
      async () => expect(await order({ status: 'shipped' })).toMatchObject({ status: 'shipped' }),
    ],
    [
      'none | create with a state value | value not declared | unchanged | write rejected',
      async () => {
        for (const status of ['lost', '', 'constructor', '__proto__', null, 7]) {
          const made = await ask('POST', 'rest/order', { title: 'never', status });
          expect(codeOf(made)).toEqual([422, 'v2.create_failed']);
        }
        expect(bodyOf(await ask('POST', 'rest/order', { status: 'lost' })).details).toMatchObject({
          stateflow: 'fulfilment',
          allowed: ['draft', 'review', 'counted', 'broken', 'shipped', 'cancelled'],
        });
        expect(bodyOf(await ask('GET', 'rest/order?title=never')).data).toEqual([]);
      },
    ],
    [
      'current | PATCH or PUT equal to the target of an event | guard absent or passes | target | write allowed',
      async () => {
        const { id } = await order({ total: 5 });
        expect(bodyOf(await write(id, { status: 'review' })).data).toMatchObject([{ status: 'review', version: 2 }]);
        const put = await ask('PUT', 'rest/order', { id, status: 'draft', title: 'back' });
        expect(bodyOf(put).data).toMatchObject([{ status: 'draft', title: 'back' }]);
        expect((await ask('PUT', `rest/order/id/${id}`, { status: 'cancelled' })).status).toBe(200);
      },
    ],
    [
      'a guard sees the row as it would be',
      async () => {
        const { id } = await order();
        expect((await write(id, { status: 'review', total: 1 })).status).toBe(200);
      },
    ],
    [
      'current | same | guard fails | current | 422 v2.update_failed',
      async () => {
        const { id } = await order();
        const refused = await write(id, { status: 'review' });
        expect(codeOf(refused)).toEqual([422, 'v2.update_failed']);
        expect(bodyOf(refused).details).toMatchObject({ current: 'draft', allowed: ['cancelled'], field: 'status' });
        expect(await statusOf(id)).toBe('draft');
      },
    ],
    [
      'current | same | guard throws | current | 500 v2.update_failed',
      async () => {
        const { id } = await order();
        expect(codeOf(await write(id, { status: 'counted' }))).toEqual([500, 'v2.update_failed']);
        expect(await statusOf(id)).toBe('draft');
        expect((await write(id, { status: 'counted', lines: [1] })).status).toBe(200);
      },
    ],
    [
      'current | same | guard fails to compile | current | 500 v2.update_failed',
      async () => {
        const { id } = await order({ total: 1 });
        expect(codeOf(await write(id, { status: 'broken', total: 2 }))).toEqual([500, 'v2.update_failed']);
        expect(bodyOf(await ask('GET', `rest/order/id/${id}`)).data).toMatchObject([{ status: 'draft', total: 1 }]);
      },
    ],
    [
      'decisions: a value that is no target of an event of the current state: 422 with details.allowed',
      async () => {
        const { id } = await order({ total: 5 });
        for (const status of ['shipped', 'lost']) {
          const refused = await write(id, { status });
          expect(codeOf(refused)).toEqual([422, 'v2.update_failed']);
          expect(bodyOf(refused).details.allowed).toEqual(['review', 'cancelled']);
        }
        expect(codeOf(await write(id, { status: null }))).toEqual([422, 'v2.update_failed']);
      },
    ],
    [
      'a final state allows nothing more',
      async () => {
        const { id } = await order({ status: 'shipped' });
        expect(bodyOf(await write(id, { status: 'draft' })).details).toMatchObject({ allowed: [], current: 'shipped' });
      },
    ],
    [
      'decisions: writing the present value is no transition and is allowed',
      async () => {
        const { id } = await order({ status: 'shipped' });
        expect(bodyOf(await write(id, { status: 'shipped', title: 'x' })).data).toMatchObject([
          { title: 'x', version: 2 },
        ]);
      },
    ],
    [
      'two machines on one row: both must allow, else nothing is written',
      async () => {
        const { id } = await order({ total: 1 });
        expect((await write(id, { status: 'review', payment: 'back' })).status).toBe(422);
        expect(await statusOf(id)).toBe('draft');
        expect((await write(id, { status: 'review', payment: 'paid' })).status).toBe(200);
      },
    ],
    [
      'delete, restore and purge are no transitions',
      async () => {
        const { id } = await order({ status: 'review' });
        expect((await ask('DELETE', `rest/order/id/${id}`)).status).toBe(200);
        expect((await ask('POST', `rest/order/id/${id}/restore`)).status).toBe(200);
        expect(await statusOf(id)).toBe('review');
        expect((await ask('DELETE', `rest/order/id/${id}?purge=true`)).status).toBe(200);
      },
    ],
  ];

  describe('transitions (docs/contract/data-behaviour.md §1.4)', () => {
    test.each(transitions)('%s', (_row, proof) => proof());
  });
}
