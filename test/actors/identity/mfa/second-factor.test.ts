import { describe, expect, test } from 'vitest';
import { Work } from '#actors/host/work.ts';
import { Identity } from '#actors/identity/identity.ts';
import { secondFactor } from '#actors/identity/mfa/second-factor.ts';
import { World } from '#test/kit/identity-call.ts';
import { codeOf, enrol, userIn } from './kit.ts';

/** What a login would be told. */
function asking(world: World, id: string) {
  const identity = new Identity({ context: world.context, bootstrapToken: null });
  return (otp?: string | null, work = new Work(world.activation)) => secondFactor(identity, work, { id }, otp);
}

async function enrolled() {
  const world = new World();
  const id = userIn(world);
  const factors = await enrol(world, world.bearer([], { sub: id }));
  return { world, id, ask: asking(world, id), ...factors };
}

describe('the second factor of a login', () => {
  test('is not asked of a user without TOTP, nor of one who only set it up', async () => {
    const world = new World();
    const id = userIn(world);
    const ask = asking(world, id);
    expect([ask(), ask('123456')]).toEqual(['ok', 'ok']);
    await world.ask('setupTotp', { authorization: world.bearer([], { sub: id }) });
    expect(ask()).toBe('ok');
  });

  test('is required once enabled, and another user is not concerned', async () => {
    const { world, ask } = await enrolled();
    expect([ask(), ask(null), ask('')]).toEqual(['required', 'required', 'required']);
    expect(asking(world, userIn(world, 'eve@example.org'))()).toBe('ok');
  });

  test('a code of the present step or its neighbours counts; an older one does not count after a newer one', async () => {
    const { world, secret, ask } = await enrolled();
    expect(ask(codeOf(world, secret, 2))).toBe('invalid');
    expect(ask(codeOf(world, secret, -1))).toBe('ok');
    expect(ask(codeOf(world, secret, 1))).toBe('ok');
    expect(ask(codeOf(world, secret))).toBe('invalid');
  });

  test('a code counts once, also for two logins at once', async () => {
    const { world, secret, ask } = await enrolled();
    const code = codeOf(world, secret);
    const [one, other] = [new Work(world.activation), new Work(world.activation)];
    expect([ask(code, one), ask(code, other), ask(code)]).toEqual(['ok', 'invalid', 'invalid']);
    one.abort();
    expect(ask(code)).toBe('invalid');
  });

  test('every recovery code counts once', async () => {
    const { recoveryCodes, ask } = await enrolled();
    expect(recoveryCodes.map((code) => ask(code))).toEqual(recoveryCodes.map(() => 'ok'));
    expect(recoveryCodes.map((code) => ask(code))).toEqual(recoveryCodes.map(() => 'invalid'));
  });

  test('guesses are throttled per user: after a burst even the right code waits, then it counts', async () => {
    const { world, secret, ask } = await enrolled();
    for (let i = 0; i < 10; i++) expect(ask('x')).toBe('invalid');
    expect(ask(codeOf(world, secret))).toBe('invalid');
    world.clock.advance(30_000);
    expect(ask(codeOf(world, secret))).toBe('ok');
  });

  test('a right code costs nothing of the allowance', async () => {
    const { world, secret, ask } = await enrolled();
    for (let i = 0; i < 30; i++) {
      expect(ask(codeOf(world, secret))).toBe('ok');
      world.clock.advance(30_000);
    }
  });
});
