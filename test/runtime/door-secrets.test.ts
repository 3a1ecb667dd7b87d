/** What doors of a node that stands by know of secrets: their own, and nothing that a caller could show in the place of another one. */
import { expect, test } from 'vitest';
import { platformOfDoors } from '#runtime/door-secrets.ts';
import { good } from '#test/config/load-text.ts';

const TEXT = `vault: {enabled: true, profile: development}
intake: {security: {gateway_secret: "vault:intake/gateway"}}
bootstrap: {token: "vault:first"}`;

test('only secrets that doors need are read; in the place of the others is what cannot be guessed', async () => {
  const asked: string[][] = [];
  const read = (names: readonly string[]) => {
    asked.push([...names]);
    return Promise.resolve(new Map(names.map((name) => [name, `value of ${name}`])));
  };
  const [one, other] = [await platformOfDoors(good(TEXT), read), await platformOfDoors(good(TEXT), read)];
  expect(asked).toEqual([['intake/gateway'], ['intake/gateway']]);
  expect(one.intake.security.gateway_secret).toBe('value of intake/gateway');
  expect(one.bootstrap.token).toMatch(/^[0-9a-f]{64}$/);
  expect(other.bootstrap.token).not.toBe(one.bootstrap.token);
});

test('a file without references is left as it is, and a secret that cannot be had is no secret', async () => {
  const plain = good('intake: {security: {gateway_secret: written}}');
  expect(await platformOfDoors(plain, () => Promise.reject(new Error('not asked')))).toBe(plain);
  await expect(platformOfDoors(good(TEXT), () => Promise.reject(new Error('away')))).rejects.toThrow('away');
});
