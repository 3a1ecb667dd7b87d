/** How rules read the rows that references lead to: once in a read, in the view of the read, and for fuel. */
import { describe, expect, test } from 'vitest';
import { createRow } from '#actors/engine/rows/create.ts';
import { isFailure } from '#actors/engine/rows/failure.ts';
import { query } from '#actors/engine/rows/query.ts';
import { findRows, type Found } from '#actors/engine/rows/read.ts';
import { SchemaMoved } from '#actors/engine/rows/schema-moved.ts';
import type { Session } from '#actors/engine/rows/session.ts';
import type { Turn } from '#actors/engine/rows/store.ts';
import { fuelLeft, fuelled } from '#actors/kit/pace/fuel.ts';
import { INTERNAL } from '#actors/protocol/principal.ts';
import { limits } from '#config/limits.ts';
import { entityOf, productOf, USER } from '#test/kit/data-call.ts';
import { asRequest, Engine } from '#test/kit/data-session.ts';

const ID = { type: 'string', required: true } as const;

function deskOf(rowRule: string, tickets: number, comments: number): Engine {
  const engine = new Engine(
    productOf([
      entityOf(
        'ticket',
        { id: ID, requester: { type: 'string' }, open: { type: 'boolean' } },
        { index: [['requester']] },
      ),
      entityOf('comment', { id: ID, ticket_id: { type: 'ref', ref: { entity: 'ticket' } } }, { rowRule }),
    ]),
  );
  const put = (entity: string, values: Record<string, unknown>): void => {
    const made = createRow(engine.session(INTERNAL), engine.models.get(entity)!, values, asRequest(entity));
    if (isFailure(made)) throw new Error(made.message);
  };
  for (let no = 0; no < tickets; no++) put('ticket', { id: `t${no}`, requester: `u${no % 2}`, open: true });
  for (let no = 0; no < comments; no++)
    put('comment', { id: `c${String(no).padStart(3, '0')}`, ticket_id: `t${no % tickets}` });
  engine.end(true);
  return engine;
}

/** A session that counts how often each row of the entity is looked up by its key. */
function counting(engine: Engine, entity: string): { session: Session; reads: () => number } {
  const session = engine.session({ ...USER, subject: 'u1' });
  const { decode } = engine.models.get(entity)!;
  let reads = 0;
  const turn: Turn = Object.create(engine.turn, {
    decoded: {
      value: (key: string, by: (value: Uint8Array) => object) => {
        if (by === decode) reads++;
        return engine.turn.decoded(key, by);
      },
    },
    get: { value: (key: string) => engine.turn.get(key) },
    range: { value: (from: string, to: string, back?: boolean) => engine.turn.range(from, to, back) },
  }) as Turn;
  return { session: { ...session, turn: () => turn }, reads: () => reads };
}

const list = (engine: Engine, session: Session): Found =>
  findRows(session, engine.models.get('comment')!, asRequest('comment'), () =>
    query('comment', { limit: 1000 }),
  ) as Found;

describe('referenced rows', () => {
  test('each is read once for a list, however many rows refer to it', () => {
    const engine = deskOf('row.ticket.open && row.ticket.requester != "u9"', 3, 200);
    const { session, reads } = counting(engine, 'ticket');
    expect(list(engine, session).rows).toHaveLength(200);
    expect(reads()).toBe(3);
  });

  test('burn fuel for each that is read, and none where no rule follows a reference', () => {
    const burned = (rule: string): number => {
      const engine = deskOf(rule, 50, 50);
      const session = engine.session();
      return fuelled(10_000_000, () => {
        list(engine, session);
        return 10_000_000 - fuelLeft();
      });
    };
    const plain = burned('row.ticket_id != ""');
    expect(burned('row.ticket.open') - plain).toBeGreaterThanOrEqual(50 * limits.rules.followUnits);
    expect(plain).toBeLessThan(50 * limits.rules.followUnits);
  });

  test('a model that a plan replaced ends the read with a fault that can be retried, not with rows left out', () => {
    const engine = deskOf('row.ticket.open || true', 2, 4);
    expect(list(engine, engine.session()).rows).toHaveLength(4);
    engine.models.get('ticket')!.retired = true;
    expect(() => list(engine, engine.session())).toThrow(SchemaMoved);
  });
});

describe('candidates', () => {
  const RULE = '"agent" in principal.roles || row.ticket.requester == principal.subject';

  test('come from the index of the references, where few rows are referred to', () => {
    const engine = deskOf(RULE, 20, 200);
    const { session, reads } = counting(engine, 'comment');
    const found = list(engine, session);
    expect([found.rows.length, found.plan.kind]).toEqual([100, 'index']);
    expect(reads()).toBe(100);
    expect(list(engine, engine.session({ ...USER, subject: 'stranger' })).plan).toMatchObject({
      kind: 'point',
      ids: [],
    });
    expect(list(engine, engine.session({ ...USER, roles: ['agent'] })).plan.kind).toBe('table');
  });

  test('past the ranges that a plan may join each row is asked', () => {
    const engine = deskOf(RULE, 2 * limits.data.planRangesMax + 2, 300);
    const found = list(engine, engine.session({ ...USER, subject: 'u1' }));
    expect([found.rows.length, found.plan.kind]).toEqual([150, 'table']);
  });
});
