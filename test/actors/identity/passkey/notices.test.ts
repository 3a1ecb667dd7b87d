/** What the owner of an account hears of passkeys by mail (docs/contract/identity-mails.md §1.1). */
import { expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { SoftAuthenticator } from '#test/kit/soft-authenticator.ts';
import { UserWorld } from '#test/kit/users.ts';
import { proofFor, register, SETTINGS, userIn } from './kit.ts';

function place(email?: string) {
  const world = new UserWorld({ settings: { passkeys: SETTINGS } });
  const id = userIn(world, email, 'a hash');
  return { world, id, authorization: world.bearer(['tenant_user'], { sub: id }) };
}

const told = async (world: UserWorld) => (await world.takeMail()).map(({ to, subject }) => [to, subject]);

test('a passkey that is added and one that is removed are told, and the mail has no word of the name that it was given', async () => {
  const { world, authorization } = place();
  const body = { name: 'call 555 at once' };
  const { body: made } = await register(world, authorization, new SoftAuthenticator(), { body });
  const extra = proofFor(world, authorization);
  expect((await world.ask('removePasskey', { authorization, id: made['id'] as string, extra })).status).toBe(200);
  const mails = await world.takeMail();
  expect(mails.map(({ to, subject }) => [to, subject])).toEqual([
    ['ada@example.org', 'A passkey was added to your account'],
    ['ada@example.org', 'A passkey was removed from your account'],
  ]);
  expect(JSON.stringify(mails)).not.toContain('555');
});

test('one that was left out beyond the bound is not told', async () => {
  const { world, authorization } = place();
  const device = new SoftAuthenticator();
  for (let time = 0; time <= limits.passkeys.perUserMax; time++) await register(world, authorization, device);
  expect(world.outbox()).toHaveLength(limits.passkeys.perUserMax);
});

test('a user without an address is told nothing', async () => {
  const { world, authorization } = place('');
  expect((await register(world, authorization, new SoftAuthenticator())).status).toBe(201);
  expect(await told(world)).toEqual([]);
});
