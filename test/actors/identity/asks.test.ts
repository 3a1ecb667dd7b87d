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
