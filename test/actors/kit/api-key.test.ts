import { describe, expect, test } from 'vitest';
import { apiKeyOf, formatApiKey, parseApiKey } from '#actors/kit/api-key.ts';
import { instantMs } from '#config/values/instant.ts';
import { newSecret, sameDigest, secretSha256 } from '#actors/kit/secret.ts';

const ID = '01ARZ3NDEKTSV4RRFFQ69G5FAV';
const SECRET = newSecret((bytes) => Buffer.alloc(bytes, 0xfb), 32);

describe('the key', () => {
  test('is id and secret with a dot between', () => {
    expect(SECRET).toMatch(/^[\w-]{43}$/);
    expect(parseApiKey(formatApiKey(ID, SECRET))).toEqual({ id: ID, secret: SECRET });
  });

  test.each(['', '.', ID, `${ID}.`, `.${SECRET}`, `${ID}.${SECRET}.`, `${ID}.${SECRET}x`, `${ID}.${SECRET.slice(1)}`])(
    '%j is malformed',
    (key) => {
      expect(parseApiKey(key)).toBeNull();
    },
  );

  test('a lower-case id and characters outside base64url are malformed', () => {
    expect(parseApiKey(`${ID.toLowerCase()}.${SECRET}`)).toBeNull();
    expect(parseApiKey(`${ID}.${SECRET.slice(1)}+`)).toBeNull();
  });
});

describe('the header', () => {
  test.each([
    ['ApiKey abc', 'abc'],
    ['apikey abc', 'abc'],
    ['APIKEY  abc ', 'abc'],
    ['ApiKey ', ''],
    ['ApiKey', ''],
    ['Bearer abc', null],
    ['ApiKeyabc', null],
    ['', null],
  ])('%j gives %j', (header, key) => {
    expect(apiKeyOf(header)).toBe(key);
  });
});

describe('secrets and instants', () => {
  test('digests of different length or content differ', () => {
    expect(sameDigest(secretSha256('a'), secretSha256('a'))).toBe(true);
    expect(sameDigest(secretSha256('a'), secretSha256('b'))).toBe(false);
    expect(sameDigest(secretSha256('a'), secretSha256('a').subarray(1))).toBe(false);
  });

  test('an instant is RFC 3339 or nothing', () => {
    expect(instantMs('2026-01-01T00:00:00.000Z')).toBe(Date.UTC(2026, 0, 1));
    expect(instantMs('2026-01-01T02:00:00+02:00')).toBe(Date.UTC(2026, 0, 1));
    for (const other of [undefined, null, 0, 1e12, '', '2026-01-01', '2026-01-01T00:00:00', 'Thu, 01 Jan 2026', {}])
      expect(instantMs(other)).toBeNaN();
  });
});
