import { expect, test } from 'vitest';
import { isPreview, mintPreview } from '#actors/content/app/preview-token.ts';

const claim = { tenant: 'a:b:c:d', app: 'blog', type: 'post', document: 'x' };

test('a token lives until its time, to the second', () => {
  const token = mintPreview('s', claim, 10_999);
  expect([9_999, 10_000].map((now) => isPreview(['s'], token, claim, now))).toEqual([true, false]);
});

test('while a secret rotates both verify; afterwards the earlier one does not', () => {
  const token = mintPreview('old', claim, 10_000);
  expect(isPreview(['new', 'old'], token, claim, 0)).toBe(true);
  expect(isPreview(['new'], token, claim, 0)).toBe(false);
  expect(isPreview([], token, claim, 0)).toBe(false);
});

test('nothing of a claim can be changed', () => {
  const token = mintPreview('s', claim, 10_000);
  for (const key of ['tenant', 'app', 'type', 'document'] as const)
    expect(isPreview(['s'], token, { ...claim, [key]: 'other' }, 0)).toBe(false);
  const [payload, mac] = token.split('.') as [string, string];
  const forged = Buffer.from(Buffer.from(payload, 'base64url').toString().replace('10]', '99]')).toString('base64url');
  expect(isPreview(['s'], `${forged}.${mac}`, claim, 0)).toBe(false);
});
