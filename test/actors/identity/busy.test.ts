/** Every flow that hashes a password: when too many wait the caller may come again (503), whatever the flow. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Work } from '#actors/host/work.ts';
import { hashPassword, passwordCells, sharePasswordGate, verifyPassword } from '#actors/kit/password.ts';
import { Busy } from '#actors/protocol/busy.ts';
import { CONTROL_PLANE } from '#actors/protocol/position.ts';
import { limits } from '#config/limits.ts';
import { EMAIL, PASSWORD, UserWorld } from '#test/kit/users.ts';
import type { Answer } from '#test/kit/identity-call.ts';

let crowd: Promise<unknown>;
let release: () => void;
beforeEach(async () => {
  await hashPassword(PASSWORD); // the kit's own hash is made before the crowd comes
  const { passwordsRunningMax, passwordsWaitingMax } = limits.identity;
  // Cells that say so: other threads run as many as there may be, and give none back until the test is over.
  const shared = passwordCells(1);
  const cells = shared.all;
  Atomics.store(cells, 0, passwordsRunningMax);
  sharePasswordGate(shared, 0);
  const waiting = Array.from({ length: passwordsWaitingMax }, () => verifyPassword('', '').catch(() => undefined));
  crowd = Promise.all(waiting).finally(() => undefined);
  release = () => {
    Atomics.store(cells, 0, 0);
    Atomics.notify(cells, 0);
  };
});
afterEach(async () => {
  release();
  await crowd;
});

const FLOWS: readonly (readonly [string, string, (world: UserWorld) => Promise<Answer>])[] = [
  ['login', 'login', (world) => world.login()],
  [
    'a new password',
    'password_confirm',
    async (world) => {
      await world.ask('requestReset', { body: { login: EMAIL } });
      return world.ask('confirmReset', { body: { token: await world.mailedToken(), password: PASSWORD } });
    },
  ],
  [
    'bootstrap',
    'bootstrap',
    (world) => world.ask('bootstrap', { body: { token: 't', email: 'root@example.org', password: PASSWORD } }),
  ],
];

test.each(FLOWS)('%s: 503 with Retry-After, and the event says why', async (_name, flow, run) => {
  const world = new UserWorld({ position: CONTROL_PLANE, bootstrapToken: 't' });
  await world.addUser();
  const answer = await run(world);
  expect(answer).toMatchObject({ status: 503, code: 'engine_unavailable', headers: { 'Retry-After': '1' } });
  expect(world.events.at(-1)).toMatchObject({ action: `auth.${flow}.after`, outcome: 'engine_unavailable' });
});

test.each(['registerTenant', 'provisionTenant'] as const)('%s: a node without room is 503', async (name) => {
  const world = new UserWorld({ position: CONTROL_PLANE, askNode: () => Promise.reject(new Busy('no room')) });
  const body = { customer: 'a', product: 'b', env: 'c', tenant: 'd' };
  const ask = { authorization: world.bearer(['superadmin']), body: name === 'registerTenant' ? body : {} };
  expect(await world.ask(name, ask)).toMatchObject({ status: 503, code: 'engine_unavailable' });
});

test.each(['user.ensure', 'person.ensure', 'superadmin.ensure'])(
  '%s says Busy, which crosses threads',
  async (verb) => {
    const world = new UserWorld();
    const wish = { login: 'new@example.org', email: 'new@example.org', password: PASSWORD, roles: [] };
    const asked = world.service.asks![verb]!(new Work(world.activation), wish as never);
    await expect(asked).rejects.toBeInstanceOf(Busy);
  },
);
