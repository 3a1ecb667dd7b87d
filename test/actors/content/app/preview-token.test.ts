import { generateKeyPairSync } from 'node:crypto';
import { expect, test } from 'vitest';
import { isPreview, mintPreview } from '#actors/content/app/preview-token.ts';
import { signPublic, splitPublic } from '#actors/kit/token/paseto.ts';

const claim = { tenant: 'a:b:c:d', app: 'blog', type: 'post', document: 'x' };
const NONE = Buffer.alloc(0);

test('a token lives until its time, to the second', async () => {
  const token = await mintPreview('s', claim, 10_999);
  expect(await Promise.all([9_999, 10_000].map((now) => isPreview(['s'], token, claim, now)))).toEqual([true, false]);
});

test('while a secret rotates both verify; afterwards the earlier one does not', async () => {
  const token = await mintPreview('old', claim, 10_000);
  expect(await isPreview(['new', 'old'], token, claim, 0)).toBe(true);
  expect(await isPreview(['new'], token, claim, 0)).toBe(false);
  expect(await isPreview([], token, claim, 0)).toBe(false);
});

test('a token is a v4.public token that says for what it is good, and nothing else', async () => {
  const token = await mintPreview('s', claim, 10_000);
  const { message, footer } = splitPublic(token)!;
  expect(JSON.parse(message.toString())).toEqual({ ...claim, exp: '1970-01-01T00:00:10.000Z' });
  expect(footer).toHaveLength(0);
});

test('nothing of a claim can be changed', async () => {
  const token = await mintPreview('s', claim, 10_000);
  for (const key of ['tenant', 'app', 'type', 'document'] as const)
    expect(await isPreview(['s'], token, { ...claim, [key]: 'other' }, 0)).toBe(false);
  const { message, signature } = splitPublic(token)!;
  const later = Buffer.from(message.toString().replace('00:00:10', '00:00:99'));
  const forged = `v4.public.${Buffer.concat([later, signature]).toString('base64url')}`;
  expect(await isPreview(['s'], forged, claim, 0)).toBe(false);
});

test('a token of another key, one without an expiry, and what is no token show nothing', async () => {
  const { privateKey } = generateKeyPairSync('ed25519');
  const foreign = signPublic(privateKey, Buffer.from(JSON.stringify({ ...claim, exp: '2999-01-01T00:00:00Z' })), NONE);
  const token = await mintPreview('s', claim, 10_000);
  for (const bad of [
    foreign,
    `${token}x`,
    `${token}.`,
    `${token}.e30`,
    token.replace('v4', 'v2'),
    'v4.public.',
    '.',
    '',
    'ä',
  ])
    expect([bad, await isPreview(['s'], bad, claim, 0)]).toEqual([bad, false]);
});
