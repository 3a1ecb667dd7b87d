/** Scripts that run as a role: what they may do, and what is recorded (docs/contract/data-behaviour.md §4). */
import { expect, test } from 'vitest';
import { operate } from '#actors/data/endpoint/operations.ts';
import { servedModels } from '#actors/data/part.ts';
import { sessionAs } from '#actors/data/rest/session.ts';
import { Answered, newStep, Replay } from '#actors/data/script/replay.ts';
import { asRole } from '#actors/engine/rows/as-role.ts';
import { isFailure } from '#actors/engine/rows/failure.ts';
import { Work } from '#actors/host/work.ts';
import type { NewAuditEvent } from '#actors/protocol/audit.ts';
import { INTERNAL, type Principal } from '#actors/protocol/principal.ts';
import type { Turn } from '#storage/port.ts';
import { DataTenant, entityOf, productOf, SUPERADMIN, USER } from '#test/kit/data-call.ts';

const notary = "'notary' in principal.roles";
const product = productOf([
  entityOf(
    'stamp',
    {
      id: { type: 'string' },
      owner: { type: 'string', default_from: 'principal.subject' },
      seal: { type: 'string', nullable: true, roles: { read: ['notary'] } },
    },
    { access: { create: notary, read: notary } },
  ),
  entityOf(
    'book',
    { id: { type: 'string' } },
    { access: { create: "'editor' in principal.roles || principal.superadmin" } },
  ),
]);

/** What a script's step gives to a caller, in a session of the caller or of a role, and what is recorded of it. */
async function step(
  caller: Principal,
  role: string | undefined,
  runAs: string | undefined,
  entity: string,
  row: object,
) {
  const tenant = await DataTenant.open(product);
  const events: NewAuditEvent[] = [];
  const commit = (turn: Turn, recorded: readonly NewAuditEvent[]): void => {
    events.push(...recorded);
    turn.commit();
  };
  Object.assign(tenant.activation, { outbox: { commit } });
  const work = new Work(tenant.activation);
  const session = sessionAs(work, caller, servedModels(tenant.activation));
  const replay = new Replay(session, (own, name, args) => operate(own, 'POST', name, args), role);
  replay.begin();
  const script = { source: '', name: 's.js', request: '', ...(runAs !== undefined && { runAs }) };
  let given: unknown = null;
  try {
    replay.repeat({ script, steps: [newStep('db.create', [entity, row])], result: null });
  } catch (error) {
    if (!(error instanceof Answered)) throw error;
    given = isFailure(error.given) ? error.given.status : JSON.parse(error.given);
  }
  work.commit();
  return { given, events, runAs: work.runAs };
}

test.each([
  ['an endpoint', 'notary', undefined],
  ['a stateflow of any caller', undefined, 'notary'],
  ['a stateflow that an endpoint with another role causes', 'editor', 'notary'],
] as const)(
  '%s acts with the role’s rights, in the caller’s name; the record has the role',
  async (_what, role, runAs) => {
    const { given, events, runAs: left } = await step(USER, role, runAs, 'stamp', { id: 's1', seal: 'x' });
    expect(given).toEqual({ id: 's1', owner: 'u1', seal: 'x' });
    expect(events).toMatchObject([{ action: 'data.stamp.create', data: { run_as: 'notary' } }]);
    expect(left).toBeNull();
  },
);

test.each([
  ['its own rights', USER],
  ['those of a superadmin', SUPERADMIN],
  ['those of the node', INTERNAL],
])('a caller does not lend it %s', async (_what, caller) => {
  expect((await step(caller, 'notary', undefined, 'book', { id: 'b1' })).given).toBe(403);
  expect((await step(caller, undefined, 'notary', 'book', { id: 'b1' })).given).toBe(403);
  expect((await step(caller, undefined, undefined, 'book', { id: 'b1' })).given).toEqual({ id: 'b1' });
});

test('without a role, the caller’s rights count and nothing more is recorded', async () => {
  expect((await step(USER, undefined, undefined, 'stamp', { id: 's1' })).given).toBe(403);
  const { events } = await step(USER, undefined, undefined, 'book', { id: 'b1' });
  expect(events[0]!.data).not.toHaveProperty('run_as');
});

test('a principal with a role is made once, and keeps nothing but name, session and bounds of the caller', () => {
  const caller = { ...SUPERADMIN, scope: ['acme:*'], readonly: true, actor: 'op' };
  expect(asRole(caller, 'notary')).toBe(asRole(caller, 'notary'));
  expect(asRole(caller, 'notary')).toEqual({ ...caller, roles: ['notary'], scope: [], superadmin: false });
  expect(asRole(INTERNAL, 'notary')).toMatchObject({ type: 'service', superadmin: false });
});
