import { describe, expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import type { KeyPage, KeyView } from '#actors/identity/operator/keys.ts';
import type { RotatedKey } from '#actors/identity/operator/rotate-key.ts';
import { Work } from '#actors/host/work.ts';
import { World } from '#test/kit/identity-call.ts';

const DAY_MS = 24 * 60 * 60_000;

/** One of the node's asks, as the host runs it. */
async function ask<T>(world: World, verb: string, body: unknown): Promise<T> {
  const work = new Work(world.activation);
  const result = await world.service.asks![verb]!(work, body as never);
  work.commit();
  return result as T;
}

const idOf = (authorization: string): string => authorization.slice('ApiKey '.length).split('.')[0]!;
const works = async (world: World, authorization: string): Promise<boolean> =>
  (await world.ask('issueKey', { authorization })).status === 201;

describe('rotate', () => {
  test('the new key has the capabilities and the span of the old one, which counts until the grace is over', async () => {
    const world = new World();
    const old = world.key({ roles: ['tenant_user'] });
    world.clock.advance(10 * DAY_MS);
    const made = await ask<RotatedKey>(world, 'key.rotate', { id: idOf(old), grace_ms: 1000 });
    expect(made.replaces).toBe(idOf(old));
    expect(Date.parse(made.expires_at) - world.clock.now()).toBe(limits.identity.keyLifetimeDays * DAY_MS);
    const view = await ask<KeyView>(world, 'key.show', { id: made.id });
    expect(view).toMatchObject({ roles: ['tenant_user'], state: 'valid', service: 'platform-v2', created_by: 'test' });
    world.clock.advance(999);
    expect([await works(world, old), await works(world, `ApiKey ${made.key}`)]).toEqual([true, true]);
    world.clock.advance(1);
    expect([await works(world, old), await works(world, `ApiKey ${made.key}`)]).toEqual([false, true]);
    expect(world.events).toContainEqual(expect.objectContaining({ action: 'auth.apikey.rotated', target: made.id }));
  });

  test('a key in its grace is not rotated again: its successor is named, and lives as long as the first was made to', async () => {
    const world = new World();
    const old = world.key({ roles: ['tenant_user'] });
    const made = await ask<RotatedKey>(world, 'key.rotate', { id: idOf(old), grace_ms: 60 * 60_000 });
    await expect(ask(world, 'key.rotate', { id: idOf(old), grace_ms: 0 })).rejects.toThrow(`rotate ${made.id}`);
    expect([await works(world, old), await works(world, `ApiKey ${made.key}`)]).toEqual([true, true]);
    const next = await ask<RotatedKey>(world, 'key.rotate', { id: made.id, grace_ms: 0 });
    expect(Date.parse(next.expires_at) - world.clock.now()).toBe(limits.identity.keyLifetimeDays * DAY_MS);
  });

  test('a grace never lengthens a life; an expired or unknown key is not rotated', async () => {
    const world = new World();
    const old = world.key();
    const view = await ask<KeyView>(world, 'key.show', { id: idOf(old) });
    const made = await ask<RotatedKey>(world, 'key.rotate', { id: idOf(old), grace_ms: 1000 * DAY_MS });
    expect(made.old_expires_at).toBe(view.expires_at);
    world.clock.set(Date.parse(made.old_expires_at));
    await expect(ask(world, 'key.rotate', { id: idOf(old), grace_ms: 0 })).rejects.toThrow('has expired');
    await expect(ask(world, 'key.rotate', { id: 'x', grace_ms: 0 })).rejects.toThrow('no key x in acme:atlas:dev:main');
  });
});

test('pages of a list join without a gap; no secret is in them; a use of this minute is shown', async () => {
  const world = new World();
  const made = Array.from({ length: limits.identity.keyPageRows + 3 }, () => world.key());
  await works(world, made[0]!);
  const first = await ask<KeyPage>(world, 'key.list', { after: null });
  expect(first.keys).toHaveLength(limits.identity.keyPageRows);
  const second = await ask<KeyPage>(world, 'key.list', { after: first.next });
  const listed = [...first.keys, ...second.keys];
  expect(second.next).toBeNull();
  expect(listed.slice(0, made.length).map(({ id }) => id)).toEqual(made.map(idOf));
  expect(JSON.stringify(listed)).not.toContain('secret');
  expect(listed[0]!.last_used_at).toBe(new Date(world.clock.now()).toISOString());
  expect(listed[1]!.last_used_at).toBeNull();
});

test('the ring: a new key signs, the old one leaves it a day later', async () => {
  const world = new World({ position: 'superadmin:superadmin:superadmin:superadmin' });
  await ask(world, 'ring.ensure', null);
  world.clock.advance(1000);
  expect(await ask(world, 'ring.rotate', null)).toMatchObject({ verifying: 2, removed: [] });
  world.clock.advance((limits.identity.tokenSecondsMax + limits.identity.ringMarginSeconds) * 1000);
  expect((await ask<{ ring: object[] }>(world, 'control.read', null)).ring).toHaveLength(1);
  const { removed } = await ask<{ removed: string[] }>(world, 'ring.rotate', null);
  expect(removed).toHaveLength(1);
});

test('a ring in the vault: identity keeps names, and says which secrets the keys that left it were', async () => {
  const world = new World({ position: 'superadmin:superadmin:superadmin:superadmin' });
  expect(await ask(world, 'ring.ensure', { place: 'identity/ring', made: null })).toBe(false);
  const made = (name: string) => ({ kid: `k4.pid.${name}`, vault: `identity/ring/${name}` });
  expect(await ask(world, 'ring.ensure', { place: 'identity/ring', made: made('a') })).toBe(true);
  expect(await ask(world, 'ring.ensure', { place: 'identity/ring', made: made('b') })).toBe(true);
  const { ring } = await ask<{ ring: object[] }>(world, 'control.read', null);
  expect(ring).toEqual([expect.objectContaining({ ...made('a'), private_pem: '', issuer: 'iam' })]);
  world.clock.advance(1000);
  expect(await ask(world, 'ring.rotate', made('b'))).toMatchObject({ removed: [], secrets: [] });
  world.clock.advance((limits.identity.tokenSecondsMax + limits.identity.ringMarginSeconds) * 1000);
  expect(await ask(world, 'ring.rotate', made('c'))).toMatchObject({
    removed: [made('a').kid],
    secrets: [made('a').vault],
  });
});
