/** The list of attacks of `hostile-neighbours`: enough of them, of every kind, each one that can be sent. */
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { KINDS, type Sent } from '#bench/hostile/attack.ts';
import { attacks } from '#bench/hostile/attacks.ts';
import { loadProduct } from '#config/definitions/load-product.ts';
import { limits } from '#config/limits.ts';
import { everyFault } from '#runtime/product-faults.ts';

const dir = fileURLToPath(new URL('../../bench/hostile/product', import.meta.url));

describe('the list', () => {
  test('has sixty attacks of different names, three of each kind, and those of the findings', () => {
    expect(attacks.length).toBeGreaterThanOrEqual(60);
    expect(new Set(attacks.map(({ name }) => name)).size).toBe(attacks.length);
    for (const kind of KINDS.filter((one) => one !== 'answer' && one !== 'upload'))
      expect(attacks.filter((attack) => attack.kind === kind).length, kind).toBeGreaterThanOrEqual(3);
    const findings = new Set(attacks.flatMap(({ finding }) => finding ?? []));
    expect([...findings].sort()).toEqual(['D9', 'O5', 'R1', 'R11', 'R2']);
  });

  test.each(attacks)(
    '$name can be sent, and says what it may be answered',
    ({ name, kind, before = [], send, times = 1, how = 'asked', statuses }) => {
      expect(name).toMatch(new RegExp(`^${kind}-[a-z0-9-]+$`));
      for (const sent of [...before, send]) expectSendable(sent);
      expect(times).toBeGreaterThan(0);
      expect(times).toBeLessThanOrEqual(64);
      expect(statuses.length > 0).toBe(how === 'asked');
      expect(statuses.every((status) => status >= 200 && status < 600)).toBe(true);
      expect(send.path.includes('{id}')).toBe(before.length > 0 && send.path.includes('/id/'));
    },
  );
});

function expectSendable({ path, body, type }: Sent): void {
  expect(path).toMatch(/^\/[!-~]*$/);
  expect(path.length).toBeLessThanOrEqual(limits.door.headerBytesMax);
  const text = body?.() ?? '';
  // What the door refuses by its length is no attack on a host: only a body in parts may be longer.
  if (type === undefined) expect(text.length).toBeLessThanOrEqual(limits.door.jsonBodyBytesMax);
}

test('its product is well', async () => {
  const loaded = loadProduct(dir, { env: {} });
  if ('problems' in loaded) throw new Error(JSON.stringify(loaded.problems));
  expect(await everyFault(loaded.product)).toEqual([]);
});
