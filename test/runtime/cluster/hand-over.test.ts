/** Who hands over to whom. */
import { expect, test } from 'vitest';
import type { NodeRow } from '#storage/log-engine/postgres/cluster.ts';
import { heirOf, servingOf } from '#runtime/cluster/hand-over.ts';

const row = (node: string, more: Partial<NodeRow> = {}): NodeRow => ({
  id: `life of ${node}`,
  beat: 7,
  node,
  place: `directory of ${node}`,
  leaseMs: 15_000,
  isFenced: false,
  serves: false,
  silentMs: 400,
  follows: { behind: 4, ageMs: 300 },
  linked: null,
  carries: null,
  ...more,
});
const serving = row('n1', { serves: true, follows: null });

test('the node that serves hands over, and no other one by its name', () => {
  expect(servingOf([row('n2'), serving], null).node).toBe('n1');
  expect(servingOf([row('n2'), serving], 'n1').node).toBe('n1');
  expect(() => servingOf([row('n2'), serving], 'n2')).toThrow('n2 does not serve the log: n1 does');
  for (const gone of [{ isFenced: true }, { silentMs: 15_000 }])
    expect(() => servingOf([{ ...serving, ...gone }], null)).toThrow('no node serves the log');
});

test('of nodes that wait the one follows that lacks least', () => {
  expect(heirOf([serving, row('n2'), row('n3', { follows: { behind: 2, ageMs: 500 } })]).node).toBe('n3');
});

test('a life that ended a moment ago is passed over for the one behind it on the same directory', () => {
  const before = row('n2', { id: 'the life before', follows: { behind: 0, ageMs: 100 }, silentMs: 3000 });
  expect(heirOf([before, serving, row('n2')]).id).toBe('life of n2');
  const own = row('n1', { id: 'n1 as it stood by', silentMs: 2000 });
  expect(() => heirOf([own, { ...serving, silentMs: 100 }])).toThrow('no other node waits for the place');
});

test.each([
  { why: 'it does not follow', more: { follows: null } },
  { why: 'it never had all', more: { follows: { behind: 1, ageMs: null } } },
  { why: 'it had all long ago', more: { follows: { behind: 1, ageMs: 5001 } } },
])('nothing is handed over to one of which $why', ({ more }) => {
  expect(() => heirOf([serving, row('n2', more)])).toThrow('no node that waits has followed the log to its end (n2)');
});

test.each([{ isFenced: true }, { silentMs: 15_000 }])('one that is gone waits no more: %o', (more) => {
  expect(() => heirOf([serving, row('n2', more)])).toThrow('no other node waits for the place');
});
