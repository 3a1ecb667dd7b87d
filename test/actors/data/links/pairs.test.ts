/** What becomes of pairs in plans that add a link, lead it to another entity and drop it, and in erasures: docs/contract/data-definitions.md §1.14. */
import { expect, test } from 'vitest';
import { erasePerson } from '#actors/data/personal/erase-person.ts';
import { Work } from '#actors/host/work.ts';
import { withPairs } from '#config/definitions/link.ts';
import { entityOf, productOf } from '#test/kit/data-call.ts';
import { expectConsistent, World } from '../admin/kit.ts';
import { id, link } from './kit.ts';

/** Tickets, tags and labels; `to`: which of these the link of the tickets leads to. */
const declared = (to: 'tag' | 'label' | null) =>
  productOf(
    withPairs([
      entityOf('ticket', { id }, to === null ? {} : { links: { marks: link(to) } }),
      entityOf('tag', { id }),
      entityOf('label', { id }),
    ]),
  );
const marksOf = async (world: World, ticket: string) =>
  (await world.rows(`id=${ticket}&fields=marks`, 'ticket'))[0]!['marks'];

async function linked(): Promise<World> {
  const world = await World.open(declared(null));
  for (const [entity, row] of [
    ['tag', 'a'],
    ['tag', 'b'],
    ['label', 'a'],
    ['ticket', 't1'],
  ])
    await world.make({ id: row }, entity);
  expect((await world.become(declared('tag'), {})).body.status).toBe('applied');
  const { status } = await world.send('PATCH', 'rest/ticket/id/t1', { marks: ['a', 'b'] });
  expect([status, await marksOf(world, 't1')]).toEqual([200, ['a', 'b']]);
  expectConsistent(world);
  return world;
}

test('a link is added while its rows are there, and dropped with its pairs where drops are allowed', async () => {
  const world = await linked();
  expect((await world.plan()).steps).toEqual([]);
  world.product = declared(null);
  expect((await world.plan()).refusals).toEqual([expect.stringContaining('drops need allow_drops')]);
  expect((await world.become(declared(null))).body.status).toBe('applied');
  expectConsistent(world);
  expect((await world.send('GET', 'rest/ticket?fields=marks')).status).toBe(422);
  expect((await world.become(declared('tag'))).body.status).toBe('applied');
  expect(await marksOf(world, 't1')).toEqual([]);
});

test('a link leads elsewhere once each of its pairs names a row there', async () => {
  const world = await linked();
  world.product = declared('label');
  const { refusals, steps } = await world.plan({ allow_drops: true });
  expect([steps, refusals]).toEqual([[], [expect.stringContaining('1 row does not fit ticket.marks.target')]]);
  world.product = declared('tag');
  expect((await world.send('PATCH', 'rest/ticket/id/t1', { marks: { remove: ['b'] } })).status).toBe(200);
  expect((await world.become(declared('label'), {})).body.status).toBe('applied');
  expect(await marksOf(world, 't1')).toEqual(['a']);
  expect((await world.send('DELETE', 'rest/tag/id/a')).status).toBe(200);
  expect(await marksOf(world, 't1')).toEqual(['a']);
  expect((await world.send('DELETE', 'rest/label/id/a')).status).toBe(200);
  expect(await marksOf(world, 't1')).toEqual([]);
  expectConsistent(world);
});

test('the erasure of a person takes the pairs of its rows along; a row that is anonymized keeps its own', async () => {
  const person = (on_erasure: 'delete' | 'anonymize') =>
    ({ field: 'user', holds: 'id', onErasure: on_erasure }) as const;
  const fields = { id, user: { type: 'string', nullable: true, compliance: 'pii' } } as const;
  const product = productOf(
    withPairs([
      entityOf('ticket', { id }, { links: { watchers: link('watcher'), notes: link('note') } }),
      entityOf('watcher', fields, { person: person('delete') }),
      entityOf('note', fields, { person: person('anonymize') }),
    ]),
  );
  const world = await World.open(product);
  for (const entity of ['watcher', 'note'])
    for (const user of ['eve', 'bob']) await world.make({ id: user, user }, entity);
  const both = ['bob', 'eve'];
  await world.make({ id: 't1', watchers: both, notes: both }, 'ticket');
  const { rows } = await erasePerson(new Work(world.tenant.activation), { user: 'eve', email: 'eve@example.org' });
  expect(rows).toMatchObject({ watcher: { deleted: 1, blocked: 0 }, note: { anonymized: 1 } });
  expect((await world.rows('fields=watchers,notes', 'ticket'))[0]).toEqual({ watchers: ['bob'], notes: both });
  expectConsistent(world);
});
