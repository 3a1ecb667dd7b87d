/** Rules over references against an oracle that looks at all rows: lists, counts, single reads, includes and writes, by indexes and without. */
import { expect, test } from 'vitest';
import { fuelled } from '#actors/kit/pace/fuel.ts';
import { createRow } from '#actors/engine/rows/create.ts';
import { deleteRow } from '#actors/engine/rows/delete.ts';
import { isFailure } from '#actors/engine/rows/failure.ts';
import { frozen } from '#actors/engine/rows/frozen.ts';
import { query, type Query } from '#actors/engine/rows/query.ts';
import { findRow, findRows, type Found } from '#actors/engine/rows/read.ts';
import { updateRow } from '#actors/engine/rows/update.ts';
import { writeRow } from '#actors/engine/rows/write.ts';
import { walkRows } from '#actors/engine/rows/walk.ts';
import type { Session } from '#actors/engine/rows/session.ts';
import { INTERNAL, type Principal } from '#actors/protocol/principal.ts';
import { USER } from '#test/kit/data-call.ts';
import { asRequest, Engine } from '#test/kit/data-session.ts';
import { fc } from '#test/kit/property.ts';
import { testSeed } from '#test/kit/seed.ts';
import { comments, persons, rule, tickets, ticketProduct, worldOf } from './follow-oracle.ts';
import type { Asker, Comment, Person, RuleTree, Ticket, World } from './follow-oracle.ts';

const seed = testSeed();
const reached = {
  nowhere: 0,
  twoHops: 0,
  threeHops: 0,
  allowed: 0,
  denied: 0,
  probed: 0,
  sliced: 0,
  moved: 0,
  refused: 0,
};
const BY_ID = [{ kind: 'order', field: 'id', descending: false }] as const;
const ASKERS: readonly Asker[] = [
  { subject: 'u1', agent: false },
  { subject: 'u2', agent: false },
  { subject: 'x', agent: true },
];
const principalOf = ({ subject, agent }: Asker): Principal => ({ ...USER, subject, roles: agent ? ['agent'] : [] });

function fill(engine: Engine, people: readonly Person[], found: readonly Ticket[], said: readonly Comment[]): void {
  const session = engine.session(INTERNAL);
  const put = (entity: string, values: Record<string, unknown>): void => {
    const written = createRow(session, engine.models.get(entity)!, values, asRequest(entity));
    if (isFailure(written)) throw new Error(`${entity}: ${written.message}`);
  };
  for (const { boss_id: _, ...one } of people) put('person', one);
  for (const { id, boss_id } of people)
    updateRow(session, engine.models.get('person')!, id, { boss_id }, asRequest('person'));
  for (const { state: _, ...one } of found) put('ticket', one);
  for (const one of said) put('comment', { ...one });
  for (const { id, state } of found) if (state !== 'there') take(engine, id, state);
  engine.end(true);
}

/** A row that is gone while others refer to it, as an erasure or a repair leaves it. */
function take(engine: Engine, id: string, state: 'deleted' | 'gone'): void {
  const model = engine.models.get('ticket')!;
  if (state === 'deleted') void deleteRow(engine.session(INTERNAL), model, id, false, asRequest('ticket'));
  else {
    const key = model.idOf(id)!;
    const row = findRow(engine.session(INTERNAL), model, asRequest('ticket'), key);
    if (row === undefined || isFailure(row)) throw new Error('the ticket is there');
    writeRow(engine.turn, model, key, row.slots, null);
  }
}

const idsOf = (engine: Engine, found: Found): unknown[] =>
  found.rows.map(({ slots }) => engine.models.get('comment')!.shape(slots)['id']);

async function listed(engine: Engine, session: Session, asked: Partial<Query>): Promise<unknown[]> {
  const model = engine.models.get('comment')!;
  const found = await findRows(session, model, asRequest('comment'), () => query('comment', asked));
  if (isFailure(found)) throw new Error(found.message);
  if (found.plan.kind === 'index' || found.plan.kind === 'point') reached.probed++;
  if (asked.counted === true) expect(found.total).toBe(found.rows.length);
  return idsOf(engine, found);
}

async function exported(engine: Engine, session: Session): Promise<unknown[]> {
  const model = engine.models.get('comment')!;
  const batches = await walkRows(session, model, asRequest('comment'), query('comment', { limit: 1000 }));
  if (isFailure(batches)) throw new Error(batches.message);
  const ids: unknown[] = [];
  for await (const rows of batches) ids.push(...rows.map(({ slots }) => model.shape(slots)['id']));
  return ids.map(String).toSorted();
}

const visible = (tree: RuleTree, row: Comment, world: World, asker: Asker): boolean =>
  tree.judge(row, world, asker, reached) === true;

async function checkReads(engine: Engine, tree: RuleTree, world: World, said: readonly Comment[], asker: Asker) {
  const session = engine.session(principalOf(asker));
  const expected = said.filter((row) => visible(tree, row, world, asker)).map(({ id }) => id);
  reached.allowed += expected.length;
  reached.denied += said.length - expected.length;
  const all = { limit: 1000, order: BY_ID, counted: true };
  expect(await listed(engine, session, all)).toEqual(expected);
  expect(await exported(engine, session)).toEqual(expected);
  // In a turn that has no fuel for it, the same list is read over a snapshot.
  const before = engine.yields;
  expect(await fuelled(20_000, () => listed(engine, session, all))).toEqual(expected);
  reached.sliced += engine.yields - before;
  const still = frozen(session);
  expect(await listed(engine, still.session, all)).toEqual(expected);
  still.close();
  const model = engine.models.get('comment')!;
  for (const { id } of said) {
    const row = findRow(session, model, { ...asRequest('comment'), id }, model.idOf(id));
    expect([id, row !== undefined]).toEqual([id, expected.includes(id)]);
  }
}

/** A comment that is moved to another ticket must be visible before, and after. */
function checkMove(engine: Engine, tree: RuleTree, world: World, row: Comment, to: string | null, asker: Asker): void {
  const model = engine.models.get('comment')!;
  const request = { ...asRequest('comment'), method: 'PATCH', operation: 'update', id: row.id };
  const written = updateRow(engine.session(principalOf(asker)), model, row.id, { ticket_id: to }, request);
  const after = { ...row, ticket_id: to };
  const target = to === null ? undefined : world.tickets.get(to);
  const status = isFailure(written) ? written.status : 200;
  if (!visible(tree, row, world, asker)) expect([tree.text, status]).toEqual([tree.text, 404]);
  else if (to !== row.ticket_id && !visible(tree, after, world, asker))
    expect([tree.text, status]).toEqual([tree.text, 403]);
  else if (to !== row.ticket_id && target !== undefined && target.state !== 'there') expect(status).toBe(422);
  else expect([tree.text, status]).toEqual([tree.text, 200]);
  reached[status === 200 ? 'moved' : 'refused']++;
  engine.end(false);
}

const changes = fc.record({
  ticket: fc.constantFrom('t1', 't2', 't3'),
  requester: fc.constantFrom('u1', 'u2', 'u3', null),
});
const moves = fc.array(
  fc.record({ at: fc.nat(20), to: fc.constantFrom('t1', 't2', 't4', 't6', null), by: fc.nat(2) }),
  {
    minLength: 1,
    maxLength: 3,
  },
);

test(`rules over references admit what the oracle admits (seed ${seed})`, async () => {
  const property = fc.asyncProperty(
    rule,
    persons,
    tickets,
    comments,
    changes,
    moves,
    async (tree, people, found, said, { ticket, requester }, moved) => {
      const engines = [true, false].map((indexed) => new Engine(ticketProduct(tree.text, indexed)));
      for (const engine of engines) fill(engine, people, found, said);
      const world = worldOf(people, found);
      for (const asker of ASKERS) for (const engine of engines) await checkReads(engine, tree, world, said, asker);
      for (const { at, to, by } of moved)
        for (const engine of engines) checkMove(engine, tree, world, said[at % said.length]!, to, ASKERS[by]!);
      // Another requester changes at once who sees the comments of the ticket.
      if (world.tickets.get(ticket)!.state !== 'there') return;
      const later = worldOf(
        people,
        found.map((one) => (one.id === ticket ? { ...one, requester_id: requester } : one)),
      );
      for (const engine of engines) {
        const model = engine.models.get('ticket')!;
        const written = updateRow(
          engine.session(INTERNAL),
          model,
          ticket,
          { requester_id: requester },
          asRequest('ticket'),
        );
        expect(isFailure(written)).toBe(false);
        // In the turn that changes it, and when it is committed.
        expect(await listed(engine, engine.session(principalOf(ASKERS[0]!)), { limit: 1000, order: BY_ID })).toEqual(
          said.filter((row) => visible(tree, row, later, ASKERS[0]!)).map(({ id }) => id),
        );
        engine.end(true);
        for (const asker of ASKERS) await checkReads(engine, tree, later, said, asker);
      }
    },
  );
  await fc.assert(property, { seed, numRuns: Number(process.env['SKEP_TEST_RUNS'] ?? 200) });
  console.info(JSON.stringify(reached));
  for (const [name, count] of Object.entries(reached)) expect([name, count > 10]).toEqual([name, true]);
}, 120_000);
