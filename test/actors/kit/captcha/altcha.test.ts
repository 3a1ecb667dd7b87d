/** ALTCHA's protocol version 1, beside `altcha-lib`: what one of the two makes, the other takes. */
import { createHmac, hash } from 'node:crypto';
import { createChallenge, verifySolution } from 'altcha-lib';
import { expect, test } from 'vitest';
import { challengeOf, isSolved, readAnswer } from '#actors/kit/captcha/altcha.ts';
import { decoded, encoded, solved } from '#test/kit/altcha.ts';

const KEY = 'a key of the tests';
const key = Buffer.from(KEY);
const bound = { position: 'acme:atlas:dev:main', purpose: 'sign_up' };
const soon = () => Date.now() + 60_000;
const wish = (changes: object = {}) => ({
  ...bound,
  expiresAtMs: soon(),
  nonce: Buffer.from('0123456789ab'),
  number: 4711,
  maxnumber: 5000,
  ...changes,
});
const counts = (text: string, at = bound): boolean => {
  const answer = readAnswer(text);
  return answer !== null && isSolved(key, answer, at);
};

test('altcha-lib solves and verifies what we give', async () => {
  const challenge = challengeOf(key, wish());
  const text = await solved(challenge);
  expect(decoded(text)['number']).toBe(4711);
  expect(await verifySolution(text, KEY)).toBe(true);
  expect(counts(text)).toBe(true);
});

test('we give what altcha-lib gives, for the same salt and number', async () => {
  const ours = challengeOf(key, wish());
  const theirs = await createChallenge({ hmacKey: KEY, number: 4711, maxnumber: 5000, salt: ours.salt });
  expect(ours).toEqual(theirs);
});

test('what altcha-lib gives for our salt counts; its own salts are not bound to anything, so none counts', async () => {
  const { salt } = challengeOf(key, wish({ number: 1 }));
  expect(counts(await solved(await createChallenge({ hmacKey: KEY, maxnumber: 100, salt })))).toBe(true);
  expect(counts(await solved(await createChallenge({ hmacKey: KEY, maxnumber: 100 })))).toBe(false);
  const expiring = await createChallenge({ hmacKey: KEY, maxnumber: 100, expires: new Date(soon()) });
  expect(counts(await solved(expiring))).toBe(false);
});

test('an answer counts for its position, its purpose and its key alone', async () => {
  const text = await solved(challengeOf(key, wish()));
  expect(counts(text, { ...bound, position: 'acme:atlas:dev:other' })).toBe(false);
  expect(counts(text, { ...bound, purpose: 'guest' })).toBe(false);
  expect(isSolved(Buffer.from('another key'), readAnswer(text)!, bound)).toBe(false);
});

test('a purpose that looks like a parameter is none', () => {
  const crafty = { position: 'x', purpose: 'a&at=y' };
  const { salt } = challengeOf(key, { ...wish(), ...crafty });
  expect(salt).toContain('for=a%26at%3Dy&at=x&');
});

test('every change of an answer makes another one of it', async () => {
  const challenge = challengeOf(key, wish());
  const good = decoded(await solved(challenge));
  const { salt, number, signature } = good as { salt: string; number: number; signature: string };
  const forged = hash('sha256', salt + 1);
  const changes: Record<string, unknown>[] = [
    { number: number + 1 },
    { salt: salt.replace('expires=1', 'expires=9') },
    { salt: salt.replace('sign_up', 'guest') },
    { challenge: forged, number: 1 },
    { challenge: forged, number: 1, signature: createHmac('sha256', 'a guess').update(forged).digest('hex') },
    { signature: signature.replaceAll(/./g, '0') },
    { signature: signature.slice(2) },
    { signature: signature.toUpperCase() },
    { algorithm: 'SHA-1' },
    { algorithm: 'SHA-512' },
    { number: String(number) },
    { number: number + 0.5 },
    { number: -number },
    { number: null },
    { salt: [salt] },
    { salt: null },
    { challenge: undefined },
  ];
  for (const change of changes) expect(counts(encoded({ ...good, ...change })), JSON.stringify(change)).toBe(false);
  expect(counts(encoded(good))).toBe(true);
});

/** CVE-2025-68113: `…expires=1700000000` and the number 7123 are the same text as `…expires=17000000007` and 123. */
test('no digit moves from the number into the salt', async () => {
  const good = decoded(await solved(challengeOf(key, wish()))) as { salt: string; number: number };
  const [first, ...rest] = String(good.number);
  const moved = { ...good, salt: good.salt + first!, number: Number(rest.join('')) };
  expect(hash('sha256', moved.salt + moved.number)).toBe((good as Record<string, unknown>)['challenge']);
  expect(counts(encoded(moved))).toBe(false);
  expect(counts(encoded({ ...moved, salt: `${moved.salt}&` }))).toBe(false);
});

test.each(['', 'x', '%', 'bnVsbA==', 'W10=', 'IiI=', 'MQ==', 'e30=', 'a'.repeat(5000)])('%s is no answer', (text) =>
  expect(readAnswer(text)).toBeNull(),
);
