/**
 * Writes of links by callers of whom some see a part of the rows, against sets of pairs: what each write changes, that hidden rows stay linked, that
 * the rows' versions tell nothing of these, and that pairs end with the rows at both ends.
 */
import { expect, test } from 'vitest';
import { createRow } from '#actors/engine/rows/create.ts';
import { deleteRow } from '#actors/engine/rows/delete.ts';
import { isFailure, type Failure } from '#actors/engine/rows/failure.ts';
import { rowCount } from '#actors/engine/rows/count/store.ts';
import { restoreRow } from '#actors/engine/rows/restore.ts';
import { updateRow } from '#actors/engine/rows/update.ts';
import { VERSION_AT } from '#actors/engine/rows/codec.ts';
import type { Written } from '#actors/engine/rows/write.ts';
import { INTERNAL } from '#actors/protocol/principal.ts';
import { USER } from '#test/kit/data-call.ts';
import { asRequest, Engine } from '#test/kit/data-session.ts';
import { fc } from '#test/kit/property.ts';
import { rounds } from '#test/kit/rounds.ts';
import { tally } from '#test/kit/tally.ts';
import { linkedProduct, seed, storedRows } from './scenario.ts';

const RUNS = rounds({ suite: 100, ci: 750 });
/** Of the tags `s…` are secret, of the tickets `h…` are hidden: USER sees none of them. */
const TAGS = ['a', 'b', 'c', 's1', 's2'];
const TICKETS = ['t1', 't2', 'h1'];
const isHidden = (id: string): boolean => /^[sh]/.test(id);

const link = fc.constantFrom<'tags' | 'related'>('tags', 'tags', 'related');
const idsOf = (name: 'tags' | 'related') =>
  fc.uniqueArray(fc.constantFrom(...(name === 'tags' ? TAGS : TICKETS)), { maxLength: 4 });
const change = link.chain((name) =>
  fc.record({
    kind: fc.constant('change' as const),
    name: fc.constant(name),
    ticket: fc.constantFrom(...TICKETS),
    add: idsOf(name),
    remove: idsOf(name),
    replaces: fc.boolean(),
    isUser: fc.boolean(),
  }),
);
const removal = fc.record({
  kind: fc.constant('remove' as const),
  entity: fc.constantFrom<'tag' | 'ticket'>('tag', 'ticket'),
  at: fc.nat(),
  purge: fc.boolean(),
});
const revival = fc.record({
  kind: fc.constant('revive' as const),
  entity: fc.constantFrom<'tag' | 'ticket'>('tag', 'ticket'),
  at: fc.nat(),
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;
type Change = Extract<Step, { kind: 'change' }>;
const step = fc.oneof(
  { weight: 8, arbitrary: change },
  { weight: 1, arbitrary: removal },
  { weight: 2, arbitrary: revival },
);

const reached = { added: 0, removed: 0, kept: 0, refused: 0, unseen: 0, unchanged: 0, cascaded: 0, binned: 0 };

/** What there is, as plain sets. */
class Oracle {
  readonly pairs = { tags: new Set<string>(), related: new Set<string>() };
  readonly binned = new Set<string>();
  readonly gone = new Set<string>();

  isLive(id: string): boolean {
    return !this.binned.has(id) && !this.gone.has(id);
  }

  sees(isUser: boolean, id: string): boolean {
    return this.isLive(id) && !(isUser && isHidden(id));
  }

  /** The pairs after the change, or null where it is refused. */
  after({ name, ticket, add, remove, replaces, isUser }: Change): Set<string> | null {
    const pairs = new Set(this.pairs[name]);
    const of = (id: string): string => `${ticket}>${id}`;
    // A hidden row is as an absent one, linked already or not; a link to one in the bin may be kept.
    const isThere = (id: string): boolean =>
      id === ticket || this.sees(isUser, id) || (pairs.has(of(id)) && !(isUser && isHidden(id)));
    if (!add.every(isThere)) return null;
    const out = replaces
      ? [...pairs]
          .map((pair) => pair.split('>'))
          .flatMap(([from, to]) => (from === ticket && !add.includes(to!) ? to! : []))
      : remove;
    for (const id of out) if (this.sees(isUser, id)) pairs.delete(of(id));
    for (const id of add) pairs.add(of(id));
    return pairs;
  }

  purge(id: string): void {
    this.gone.add(id);
    for (const pairs of Object.values(this.pairs))
      for (const pair of pairs) {
        if (!pair.split('>').includes(id)) continue;
        pairs.delete(pair);
        reached.cascaded++;
      }
  }
}

function begin(): Engine {
  const engine = new Engine(linkedProduct(false));
  const session = engine.session(INTERNAL);
  for (const id of TAGS) createRow(session, engine.models.get('tag')!, { id, secret: isHidden(id) }, asRequest('tag'));
  for (const id of TICKETS)
    createRow(session, engine.models.get('ticket')!, { id, hidden: isHidden(id) }, asRequest('ticket'));
  engine.end(true);
  return engine;
}

const storedPairs = (engine: Engine, name: string): string[] =>
  storedRows(engine, `ticket.${name}`)
    .map(({ source, target }) => `${String(source)}>${String(target)}`)
    .toSorted();

function write(engine: Engine, { name, ticket, add, remove, replaces, isUser }: Change): Written | Failure {
  const session = engine.session(isUser ? USER : INTERNAL);
  const input = { [name]: replaces ? add : { add, remove: remove.filter((id) => !add.includes(id)) } };
  return updateRow(session, engine.models.get('ticket')!, ticket, input, asRequest('ticket'));
}

function changed(engine: Engine, oracle: Oracle, wish: Change): void {
  const given = { ...wish, remove: wish.remove.filter((id) => !wish.add.includes(id)) };
  const before = oracle.pairs[given.name];
  const written = write(engine, given);
  const isFound = oracle.sees(given.isUser, given.ticket);
  const after = isFound ? oracle.after(given) : null;
  engine.end(!isFailure(written));
  if (after === null) {
    expect([given, isFailure(written) && written.status]).toEqual([given, isFound ? 422 : 404]);
    reached.refused++;
    reached.unseen += Number(isFound && given.isUser && given.add.some((id) => isHidden(id) && oracle.isLive(id)));
    return;
  }
  expect([given, isFailure(written) ? written.message : 'written']).toEqual([given, 'written']);
  note(before, after, given, written as Written);
  oracle.pairs[given.name] = after;
}

/** The version goes on where the pairs have changed. */
function note(before: Set<string>, after: Set<string>, { ticket, isUser, replaces }: Change, written: Written): void {
  const added = [...after].filter((pair) => !before.has(pair));
  const removed = [...before].filter((pair) => !after.has(pair));
  const moved = written.after![VERSION_AT] !== written.before![VERSION_AT];
  expect(moved).toBe(added.length + removed.length > 0);
  reached.added += added.length;
  reached.removed += removed.length;
  reached.unchanged += Number(!moved);
  const kept = [...after].filter((pair) => pair.startsWith(`${ticket}>`) && isHidden(pair.split('>')[1]!));
  reached.kept += Number(isUser && replaces && kept.length > 0);
}

async function removed(
  engine: Engine,
  oracle: Oracle,
  entity: 'tag' | 'ticket',
  id: string,
  purge: boolean,
): Promise<void> {
  if (oracle.gone.has(id) || (oracle.binned.has(id) && !purge)) return;
  const outcome = await deleteRow(engine.session(INTERNAL), engine.models.get(entity)!, id, purge, asRequest(entity));
  expect(isFailure(outcome)).toBe(false);
  engine.end(true);
  if (purge) oracle.purge(id);
  else oracle.binned.add(id);
  reached.binned += Number(!purge);
}

function revived(engine: Engine, oracle: Oracle, entity: 'tag' | 'ticket', id: string): void {
  const session = engine.session(INTERNAL);
  const model = engine.models.get(entity)!;
  if (oracle.binned.delete(id) && !oracle.gone.has(id)) restoreRow(session, model, id, asRequest(entity));
  else if (oracle.gone.delete(id)) {
    oracle.binned.delete(id);
    const mark = entity === 'tag' ? { secret: isHidden(id) } : { hidden: isHidden(id) };
    createRow(session, model, { id, ...mark }, asRequest(entity));
  }
  engine.end(true);
}

test(`links are what the writes of their callers make of them (seed ${seed})`, async () => {
  const property = fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 40 }), async (steps) => {
    const engine = begin();
    const oracle = new Oracle();
    for (const one of steps) {
      if (one.kind === 'change') changed(engine, oracle, one);
      else {
        const ids = one.entity === 'tag' ? TAGS : TICKETS;
        const id = ids[one.at % ids.length]!;
        if (one.kind === 'remove') await removed(engine, oracle, one.entity, id, one.purge);
        else revived(engine, oracle, one.entity, id);
      }
      for (const name of ['tags', 'related'] as const) {
        expect([one, storedPairs(engine, name)]).toEqual([one, [...oracle.pairs[name]].toSorted()]);
        expect(rowCount(engine.turn, engine.models.get(`ticket.${name}`)!.table).live).toBe(oracle.pairs[name].size);
      }
    }
  });
  await fc.assert(property, { seed, numRuns: RUNS });
  tally({ queries: RUNS });
  console.info(JSON.stringify(reached));
  for (const [name, count] of Object.entries(reached)) expect([name, count > 10]).toEqual([name, true]);
}, 3_600_000);
