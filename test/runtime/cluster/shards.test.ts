/** What operators read of the nodes on a log. */
import { expect, test } from 'vitest';
import type { NodeRow } from '#storage/log-engine/postgres/cluster.ts';
import { nodeStatuses } from '#runtime/cluster/shards.ts';

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

test('a node that runs hosts for another one says for which, by its name, until it is ended', () => {
  const served = row('n1', { serves: true, follows: null });
  const rows = [
    served,
    row('n2', { carries: served.id }),
    row('n3', { carries: served.id, silentMs: 16_000 }),
    row('n4', { carries: served.id, isFenced: true }),
    row('n5', { carries: 'a life that is forgotten' }),
  ];
  expect(nodeStatuses(rows).map(({ node, state, carries }) => [node, state, carries])).toEqual([
    ['n1', 'serves', null],
    ['n2', 'stands by', 'n1'],
    ['n3', 'silent', 'n1'],
    ['n4', 'ended', null],
    ['n5', 'stands by', 'a life that is forgotten'],
  ]);
});
