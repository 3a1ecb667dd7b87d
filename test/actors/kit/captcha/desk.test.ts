/** Challenges that live ten minutes and count once, keys that rotate, and a memory that is bounded. */
import { expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { SimulatedClock } from '#test/kit/simulated-clock.ts';
import { CaptchaDesk } from '#actors/kit/captcha/desk.ts';
import { solved } from '#test/kit/altcha.ts';

const { challengeMs, keyLifeMs, spentMax } = limits.captcha;
const bound = { position: 'acme:atlas:dev:main', purpose: 'sign_up' };

function opened() {
  const clock = new SimulatedClock();
  return { clock, desk: new CaptchaDesk(clock) };
}

test('an answer counts once, and again when it is given back', async () => {
  const { desk } = opened();
  const text = await solved(desk.give(bound, 100));
  const nonce = desk.check(text, bound)!;
  expect(desk.check(text, bound)).toBe(nonce);
  expect(desk.spend(nonce)).toBe('spent');
  expect(desk.spend(nonce)).toBe('again');
  desk.giveBack(nonce);
  expect(desk.spend(desk.check(text, bound)!)).toBe('spent');
});

test('it counts for ten minutes, and not at their end', async () => {
  const { clock, desk } = opened();
  const text = await solved(desk.give(bound, 100));
  clock.advance(challengeMs - 1000);
  expect(desk.check(text, bound)).not.toBeNull();
  clock.advance(1000);
  expect(desk.check(text, bound)).toBeNull();
});

test('a key is replaced; challenges of the one before it count to their end, those of others never', async () => {
  const { clock, desk } = opened();
  desk.give(bound, 1);
  clock.advance(keyLifeMs - 1000);
  const late = await solved(desk.give(bound, 100));
  clock.advance(1000);
  const next = await solved(desk.give(bound, 100));
  expect(desk.check(late, bound)).not.toBeNull();
  expect(desk.check(next, bound)).not.toBeNull();
  expect(new CaptchaDesk(clock).check(next, bound)).toBeNull();
});

test('no answer counts again, whenever it is shown while its challenge lives', async () => {
  const { clock, desk } = opened();
  let over = 0;
  for (let round = 0; round < 30; round++) {
    const text = await solved(desk.give(bound, 50));
    expect(desk.spend(desk.check(text, bound)!)).toBe('spent');
    for (let passed = 0; passed < challengeMs; passed += challengeMs / 4) {
      clock.advance(challengeMs / 4);
      const nonce = desk.check(text, bound);
      if (nonce !== null) expect(desk.spend(nonce)).toBe('again');
      else over++;
      // Another answer counts meanwhile, so that generations change under the first.
      desk.spend(`${round} ${passed}`);
    }
    clock.advance(round * 7919);
  }
  expect(over).toBeLessThanOrEqual(2 * 30);
});

test('a full memory takes no further answer, until the oldest are over', () => {
  const { clock, desk } = opened();
  for (let i = 0; i < spentMax; i++) expect(desk.spend(String(i))).toBe('spent');
  expect(desk.spend('one more')).toBe('full');
  expect(desk.spend('0')).toBe('again');
  clock.advance(2 * challengeMs);
  expect(desk.spend('one more')).toBe('spent');
});
