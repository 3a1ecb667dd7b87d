/** What a tenant answers that has as many exports or erasures under way as it may. Spec: docs/contract/privacy.md. */
import { expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { isRefusal } from '#actors/protocol/refusal.ts';
import type { Reply } from '#actors/protocol/route.ts';
import { findErasure, putErasure } from '#actors/identity/privacy/store.ts';
import { EMAIL } from '#test/kit/users.ts';
import { accountWorld, type AccountWorld } from '../account/kit.ts';

const { erasuresMax, exportsMax } = limits.privacy;
const FULL = { status: 503, headers: { 'Retry-After': expect.any(String) } };

function putOrder(world: AccountWorld, id: string, state: 'open' | 'done'): void {
  const turn = world.store.begin();
  const at = '2026-01-01T00:00:00.000Z';
  const rest = { by: 'ADMIN', began_at: at, ended_at: state === 'done' ? at : null, rows: {}, audit_lines: null };
  putErasure(turn, { id, user: 'GONE', email: '', state, ...rest });
  turn.commit();
}

test('an erasure beyond those that are open is refused, and the account stays; an ended one gives way', async () => {
  const world = accountWorld();
  const id = await world.addUser();
  const { authorization } = await world.administrator();
  for (let no = 0; no < erasuresMax; no++) putOrder(world, `order${no}`, 'open');
  expect(await world.ask('eraseUser', { authorization, id })).toMatchObject({ ...FULL, code: 'erasures_full' });
  expect(world.userNamed(EMAIL)?.id).toBe(id);
  putOrder(world, 'order7', 'done');
  expect(await world.ask('eraseUser', { authorization, id })).toMatchObject({ status: 202, body: { state: 'open' } });
  expect(world.userNamed(EMAIL)).toBeUndefined();
  expect(findErasure(world.store.begin(), 'order7')).toBeUndefined();
});

test('an export beyond those under way is refused, and possible once one has ended or its caller has gone', async () => {
  const world = accountWorld();
  await world.addUser();
  const authorization = await world.loggedIn(EMAIL);
  const begin = async () => {
    const call = world.call('exportMe', { authorization });
    const who = world.service.authenticate(call);
    if (isRefusal(who)) throw new Error('the token does not count');
    call.principal = who;
    return world.service.handlers['exportMe']!(call);
  };
  const pieces = async () => ((await begin()) as Reply).stream!.pieces as AsyncGenerator<Uint8Array>;
  const open = await Promise.all(Array.from({ length: exportsMax }, pieces));
  for (const each of open) expect((await each.next()).done).toBe(false);
  expect(await begin()).toMatchObject({ ...FULL, code: 'exports_full' });
  await open[0]!.return(undefined);
  const next = await pieces();
  expect((await next.next()).done).toBe(false);
  expect(await begin()).toMatchObject({ ...FULL, code: 'exports_full' });
});
