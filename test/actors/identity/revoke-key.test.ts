import { describe, expect, test } from 'vitest';
import { FullStore, World } from '#test/kit/identity-call.ts';

const idOf = (header: string) => header.slice('ApiKey '.length).split('.')[0]!;

describe('DELETE /auth/apikey/{id}', () => {
  test('takes effect on the next request', async () => {
    const world = new World();
    const victim = world.key();
    expect((await world.ask('issueKey', { authorization: victim })).status).toBe(201);
    const answer = await world.ask('revokeKey', { authorization: world.bearer(), id: idOf(victim) });
    expect([answer.status, answer.body]).toEqual([200, { ok: true }]);
    expect((await world.ask('issueKey', { authorization: victim })).code).toBe('invalid_api_key');
  });

  test('any principal may, also the key itself, once', async () => {
    const world = new World();
    const own = world.key();
    expect((await world.ask('revokeKey', { authorization: own, id: idOf(own) })).body).toEqual({ ok: true });
    expect((await world.ask('revokeKey', { authorization: own, id: idOf(own) })).code).toBe('invalid_api_key');
  });

  test.each(['01ARZ3NDEKTSV4RRFFQ69G5FAV', 'nonsense', '%2e%2e', 'x'.repeat(3000)])(
    'the unknown id %j answers ok and writes nothing',
    async (id) => {
      const world = new World();
      const before = [...world.store.begin().range('\x00', '\xff')];
      const answer = await world.ask('revokeKey', { authorization: world.bearer(), id });
      expect([answer.status, answer.body]).toEqual([200, { ok: true }]);
      expect([...world.store.begin().range('\x00', '\xff')]).toEqual(before);
    },
  );

  test('the whole key in place of its id leaves no secret behind, and revokes nothing', async () => {
    const world = new World();
    const victim = world.key();
    const id = victim.slice('ApiKey '.length);
    expect((await world.ask('revokeKey', { authorization: world.bearer(), id })).status).toBe(200);
    expect(JSON.stringify(world.events) + world.logged.join()).not.toContain(id.split('.')[1]);
    expect(world.events.find(({ action }) => action === 'auth.apikey.revoked')).toMatchObject({
      target: '',
      outcome: 'unknown',
    });
    expect((await world.ask('exchangeKey', { authorization: victim })).code).toBe('not_a_service_key');
  });

  test('a failed delete answers ok, as stated; log and event tell what happened, and the key lives', async () => {
    const store = new FullStore();
    const world = new World({ store });
    const victim = world.key();
    store.full = 'disk';
    const answer = await world.ask('revokeKey', { authorization: world.bearer(), id: idOf(victim) });
    expect([answer.status, answer.body]).toEqual([200, { ok: true }]);
    expect(world.logged).toEqual([
      'the key is still valid: its row could not be deleted, and the caller got ok; revoke it again',
    ]);
    expect(world.events.find(({ action }) => action === 'auth.apikey.revoked')?.outcome).toBe('persist_failed');
    expect((await world.ask('exchangeKey', { authorization: victim })).code).toBe('not_a_service_key');
  });
});
