/** Guesses at one account and mails to one address, from whatever addresses they come; the owner is never locked out. */
import { describe, expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { CALLER_BUCKET } from '#actors/protocol/frame.ts';
import { AccountGuard } from '#actors/identity/user/account-guard.ts';
import { EMAIL, PASSWORD, UserWorld } from '#test/kit/users.ts';

const { wrongPasswordsBurst, wrongPasswordEveryMs, strangerTryMs, mailsBurst, mailEveryMs, guardEntriesMax } =
  limits.identity;

const caller = (n: number): string => `198.51.${n >> 8}.${n & 255}`;

async function attacked() {
  const world = new UserWorld();
  await world.addUser();
  const tryFrom = (from: string, password: string, login = EMAIL) =>
    world.ask('login', { body: { login, password }, extra: `${CALLER_BUCKET}:${from}\n` });
  const guess = async (tries: number, login = EMAIL): Promise<number[]> => {
    const statuses: number[] = [];
    for (let n = 0; n < tries; n++) statuses.push((await tryFrom(caller(n), 'wrong', login)).status);
    return statuses;
  };
  return { world, tryFrom, guess };
}

describe('passwords', () => {
  test('many wrong ones from many callers: after the allowance each caller has one try, then waits', async () => {
    const { tryFrom, guess } = await attacked();
    expect(new Set(await guess(wrongPasswordsBurst))).toEqual(new Set([401]));
    expect((await tryFrom('203.0.113.1', 'wrong')).status).toBe(401);
    const refused = await tryFrom('203.0.113.1', PASSWORD);
    expect(refused).toMatchObject({
      status: 429,
      body: { error: 'rate_limited', profile: 'auth_account', retry_after_seconds: strangerTryMs / 1000 },
      headers: { 'Retry-After': String(strangerTryMs / 1000), 'X-RateLimit-Remaining': '0' },
    });
  });

  test('the owner logs in while others guess: from a new place at the first try, from a known one as often as ever', async () => {
    const { tryFrom, guess } = await attacked();
    const home = '2001:db8:1:1:0:0:0:0';
    expect((await tryFrom(home, PASSWORD)).status).toBe(200);
    await guess(3 * wrongPasswordsBurst);
    for (const word of ['mistyped', 'mistyped', PASSWORD, PASSWORD])
      expect((await tryFrom(home, word)).status).toBe(word === PASSWORD ? 200 : 401);
    expect((await tryFrom('203.0.113.9', PASSWORD)).status).toBe(200);
    for (const word of ['mistyped', PASSWORD])
      expect((await tryFrom('203.0.113.9', word)).status).toBe(word === PASSWORD ? 200 : 401);
  });

  test('an unknown login is treated alike', async () => {
    const { guess } = await attacked();
    const unknown = await guess(wrongPasswordsBurst + 1, 'Eve@example.org');
    expect(unknown).toEqual(await guess(wrongPasswordsBurst + 1));
    expect(await guess(wrongPasswordsBurst + 1, 'eve@EXAMPLE.org')).toContain(429);
  });

  test('right ones take nothing from the allowance', async () => {
    const { tryFrom } = await attacked();
    for (let n = 0; n < 2 * wrongPasswordsBurst; n++) expect((await tryFrom(caller(n), PASSWORD)).status).toBe(200);
  });
});

describe('the guard', () => {
  test('the /64s of one /48 count as one caller; allowances come back with time', () => {
    const guard = new AccountGuard();
    for (let n = 0; n < wrongPasswordsBurst; n++) expect(guard.enter('a', caller(n), 0).waitMs).toBe(0);
    expect(guard.enter('a', '2001:db8:7:1:0:0:0:0', 0).waitMs).toBe(0);
    expect(guard.enter('a', '2001:db8:7:2:0:0:0:0', 0).waitMs).toBe(strangerTryMs);
    expect(guard.enter('a', '2001:db8:8:1:0:0:0:0', 0).waitMs).toBe(0);
    expect(guard.enter('b', '2001:db8:7:2:0:0:0:0', 0).waitMs).toBe(0);
    expect(guard.enter('a', '203.0.113.5', wrongPasswordEveryMs).waitMs).toBe(0);
    expect(guard.enter('a', '203.0.113.5', wrongPasswordEveryMs).waitMs).toBe(0);
    expect(guard.enter('a', '203.0.113.5', wrongPasswordEveryMs).waitMs).toBe(strangerTryMs);
  });

  test('a try that was given back leaves everything as it was, and no more than that', () => {
    const guard = new AccountGuard();
    for (let n = 0; n < wrongPasswordsBurst; n++) guard.enter('a', caller(n), 0);
    for (let n = 0; n < 5; n++) {
      const tried = guard.enter('a', '203.0.113.5', 0);
      expect(tried.waitMs).toBe(0);
      tried.giveBack();
    }
    expect(guard.enter('a', '203.0.113.5', 0).waitMs).toBe(0);
    expect(guard.enter('a', '203.0.113.5', 0).waitMs).toBe(strangerTryMs);
  });

  test('what it remembers is bounded', () => {
    const guard = new AccountGuard();
    for (let n = 0; n < 2 * guardEntriesMax; n++) {
      guard.enter(`user ${n}`, caller(n), n);
      guard.admit(`user ${n}`, caller(n));
    }
    for (let n = 0; n < wrongPasswordsBurst; n++) guard.enter('user 0', 'x', 0);
    guard.enter('user 0', caller(0), 0);
    expect(guard.enter('user 0', caller(0), 0).waitMs, 'the first caller was forgotten').toBeGreaterThan(0);
  });
});

describe.each(['requestReset', 'requestMagicLink'] as const)('mails of %s', (request) => {
  test('one address gets a burst, then one an interval; the answer and the rows are the same for all', async () => {
    const world = new UserWorld();
    await world.addUser();
    const ask = (login: string) => world.ask(request, { body: { login } });
    const answers = [];
    for (let n = 0; n < 40; n++) answers.push(await ask(n % 2 === 0 ? EMAIL : EMAIL.toUpperCase()));
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(answers[0]!.status).toBe(202);
    expect(world.outbox()).toHaveLength(mailsBurst);
    world.clock.advance(mailEveryMs);
    await ask(EMAIL);
    await ask(EMAIL);
    expect(world.outbox()).toHaveLength(mailsBurst + 1);
  });

  test('the other kind of mail and other addresses go on', async () => {
    const world = new UserWorld();
    await world.addUser();
    await world.addUser('bob@example.org');
    for (let n = 0; n < 10; n++) await world.ask(request, { body: { login: EMAIL } });
    await world.ask(request === 'requestReset' ? 'requestMagicLink' : 'requestReset', { body: { login: EMAIL } });
    await world.ask(request, { body: { login: 'bob@example.org' } });
    expect(world.outbox()).toHaveLength(mailsBurst + 2);
  });
});
