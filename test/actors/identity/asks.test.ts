import { expect, test } from 'vitest';
import { Work } from '#actors/host/work.ts';
import { World } from '#test/kit/identity-call.ts';

test('a key issued by the node works at once, with what it was given', async () => {
  const world = new World();
  const work = new Work(world.activation);
  const issued = (await world.service.asks!['key.issue']!(work, {
    service: 'test',
    capabilities: { scope: ['acme:dev:atlas:main'] },
  } as never)) as { id: string; key: string };
  work.commit();
  expect(issued.key.startsWith(`${issued.id}.`)).toBe(true);
  const exchanged = await world.ask('exchangeKey', { authorization: `ApiKey ${issued.key}` });
  expect(exchanged.status).toBe(200);
});

test('a user is made once, however its login is written; its password is a hash', async () => {
  const world = new World();
  const ensure = async (login: string): Promise<string> => {
    const work = new Work(world.activation);
    const { id } = (await world.service.asks!['user.ensure']!(work, {
      login,
      password: 'correct horse',
      roles: ['tenant_admin'],
    } as never)) as { id: string };
    work.commit();
    return id;
  };
  const id = await ensure('Ada@example.org');
  expect(await ensure('ada@EXAMPLE.org')).toBe(id);
  expect(await ensure('eve@example.org')).not.toBe(id);
});

test('an operator cannot give a user one of the most common passwords', async () => {
  const world = new World();
  const wish = { email: 'ada@example.org', password: 'Passw0rd!', roles: [] };
  const ensured = async () => world.service.asks!['person.ensure']!(new Work(world.activation), wish as never);
  await expect(ensured()).rejects.toThrow('password: is one of the most common passwords');
});

test.each(['', 'a b', 'a,b', 'a\nb', 'x'.repeat(129)])('an operator cannot give a user the role %j', async (role) => {
  const world = new World();
  const work = () => new Work(world.activation);
  const { asks } = world.service;
  const wish = { email: 'ada@example.org', password: 'correct horse', roles: ['editor', role] };
  await expect((async () => asks!['person.ensure']!(work(), wish as never))()).rejects.toThrow('is no role');
  const ensured = work();
  const { id } = (await asks!['person.ensure']!(ensured, { ...wish, roles: ['editor'] } as never)) as { id: string };
  ensured.commit();
  expect(() => asks!['user.set']!(work(), { user: id, roles: [role] } as never)).toThrow('is no role');
  expect(() => asks!['key.make']!(work(), { capabilities: { roles: [role] } } as never)).toThrow(
    /is no role|Too small/,
  );
});
