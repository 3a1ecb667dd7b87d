/** Versions of secrets and their envelopes. Source: docs/contract/vault.md §4.3, §10. */
import { fc } from '#test/kit/property.ts';
import { expect, test } from 'vitest';
import { EnvelopeBroken, EnvelopeKeyMissing } from '#actors/vault/seal/envelope.ts';
import type { ReadSecret, Secrets } from '#actors/vault/secret/secrets.ts';
import { openBench } from '../bench.ts';

const place = { scope: 'acme:shop:dev:main', name: 'db/password' };
const write = (secrets: Secrets, text: string, cas: number | null = null) =>
  secrets.write(place, Buffer.from(text), 'spiffe://x/operator/ada', cas);
const textOf = async (secrets: Secrets, version: number | null): Promise<string | null> => {
  const found = await secrets.read(place, version);
  return found !== null && 'value' in found ? found.value.toString() : null;
};
const statesOf = async (secrets: Secrets) => (await secrets.record(place))!.versions.map(({ state }) => state);

test('a write makes the new version active and the previous one inactive; a fourth destroys the oldest', async () => {
  const { secrets, store } = await openBench();
  for (const text of ['one', 'two', 'three', 'four']) await write(secrets, text);
  expect(await statesOf(secrets)).toEqual(['destroyed', 'inactive', 'inactive', 'active']);
  expect(await Promise.all([1, 2, 3, 4, 5].map((version) => textOf(secrets, version)))).toEqual([
    null,
    'two',
    'three',
    'four',
    null,
  ]);
  expect([...store.entries.keys()].filter((path) => path.startsWith('value/'))).toHaveLength(3);
});

test('cas: 0 stands for nothing, a number for the newest; a miss tells which it is', async () => {
  const { secrets } = await openBench();
  expect(await write(secrets, 'a', 1)).toEqual({ ok: false, latest: 0 });
  expect(await write(secrets, 'a', 0)).toMatchObject({ ok: true });
  expect(await write(secrets, 'b', 0)).toEqual({ ok: false, latest: 1 });
  expect(await write(secrets, 'b', 1)).toMatchObject({ ok: true });
  const raced = await Promise.all(Array.from({ length: 32 }, (_, i) => write(secrets, String(i), 2)));
  expect(raced.filter(({ ok }) => ok)).toHaveLength(1);
});

test('raced writes without cas all count', async () => {
  const { secrets } = await openBench();
  await Promise.all(Array.from({ length: 64 }, (_, i) => write(secrets, String(i))));
  expect((await secrets.record(place))!.latest).toBe(64);
});

test('a delete makes what is readable deleted, destroy drops the bytes, every change bumps updated_at', async () => {
  const { secrets, store, clock } = await openBench();
  await write(secrets, 'one');
  await write(secrets, 'two');
  const before = (await secrets.record(place))!.updated_at;
  clock.advance(1000);
  expect(await secrets.remove(place, 'me', { destroy: false, version: null })).toMatchObject({ ok: true });
  expect(await statesOf(secrets)).toEqual(['deleted', 'deleted']);
  expect((await secrets.record(place))!.updated_at > before).toBe(true);
  expect(await textOf(secrets, null)).toBeNull();
  expect(await secrets.remove(place, 'me', { destroy: false, version: null })).toMatchObject({ ok: false });
  expect(await secrets.remove(place, 'me', { destroy: true, version: 1 })).toMatchObject({ ok: true });
  expect(await statesOf(secrets)).toEqual(['destroyed', 'deleted']);
  expect([...store.entries.keys()].filter((path) => path.startsWith('value/'))).toHaveLength(1);
  await write(secrets, 'three');
  expect((await secrets.record(place))!.latest).toBe(3);
  expect(await textOf(secrets, null)).toBe('three');
});

test('whatever is done, at most three are readable, one at most is active, and it is the newest', async () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constant('write' as const), cas: fc.option(fc.nat(6), { nil: null }) }),
    fc.record({
      kind: fc.constant('remove' as const),
      destroy: fc.boolean(),
      version: fc.option(fc.integer({ min: 1, max: 6 }), { nil: null }),
    }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
      const { secrets, store } = await openBench();
      const written: string[] = [];
      for (const one of steps) {
        if (one.kind === 'remove') await secrets.remove(place, 'me', one);
        else if ((await write(secrets, `v${written.length + 1}`, one.cas)).ok) written.push(`v${written.length + 1}`);
      }
      const record = await secrets.record(place);
      const rows = record?.versions ?? [];
      expect(record?.latest ?? 0).toBe(written.length);
      const readable = rows.filter(({ state }) => state === 'active' || state === 'inactive');
      expect(readable.length).toBeLessThanOrEqual(3);
      const active = rows.filter(({ state }) => state === 'active');
      expect(active.every(({ version }) => version === record!.latest)).toBe(true);
      for (const { version } of rows)
        expect(await textOf(secrets, version)).toBe(
          readable.some((row) => row.version === version) ? written[version - 1] : null,
        );
      const stored = [...store.entries.keys()].filter((path) => path.startsWith('value/')).length;
      expect(stored).toBe(rows.filter(({ state }) => state !== 'destroyed').length);
    }),
    { numRuns: 60 },
  );
});

test('names list in order, in pages, of one tenant only', async () => {
  const { secrets } = await openBench();
  for (const name of ['b', 'a/x', 'a', 'a.b']) await secrets.write({ ...place, name }, Buffer.from('x'), 'me', null);
  await secrets.write({ scope: '_node', name: 'z' }, Buffer.from('x'), 'me', null);
  expect(await secrets.list(place.scope, '', null, 10)).toEqual(['a', 'a.b', 'a/x', 'b']);
  expect(await secrets.list(place.scope, 'a', 'a', 1)).toEqual(['a.b']);
});

test('nothing of a value stands in the store in clear', async () => {
  const { secrets, store } = await openBench();
  await write(secrets, 'hunter2-planted');
  expect(store.dump()).not.toContain('hunter2');
  expect(store.dump()).not.toContain('operator/ada');
});

test('every byte of a stored record and of a stored value, flipped, is refused by name', async () => {
  const { secrets, store } = await openBench();
  await write(secrets, 'hunter2');
  for (const path of ['secret/acme:shop:dev:main/db/password', 'value/acme:shop:dev:main/db/password:1']) {
    const { value, version } = store.entries.get(path)!;
    for (let at = 0; at < value.length; at++) {
      const flipped = Buffer.from(value);
      flipped[at]! ^= 0x40;
      store.entries.set(path, { value: flipped, version });
      const error = await secrets.read(place, null).then(
        () => null,
        (caught: unknown) => caught,
      );
      // A term of a record that no key has is a missing key; the term of a value stands under its record's key.
      expect(error instanceof EnvelopeBroken || error instanceof EnvelopeKeyMissing, `${path} byte ${at}`).toBe(true);
    }
    store.entries.set(path, { value, version });
  }
  expect(((await secrets.read(place, null)) as ReadSecret).value.toString()).toBe('hunter2');
});

test('every byte of a tenant’s key record, flipped: refused by name, or the very same key', async () => {
  const { secrets, store } = await openBench();
  await write(secrets, 'hunter2');
  const path = `key/${place.scope}`;
  const { value, version } = store.entries.get(path)!;
  let refused = 0;
  for (let at = 0; at < value.length; at++)
    for (const mask of [0x01, 0x02, 0x40]) {
      const flipped = Buffer.from(value);
      flipped[at]! ^= mask;
      store.entries.set(path, { value: flipped, version });
      const fresh = await openBench(store); // nothing in memory
      for (const attempt of [() => textOf(fresh.secrets, null), () => write(fresh.secrets, 'more')]) {
        const told = await attempt().catch((error: unknown) => error);
        const isNamed = told instanceof EnvelopeBroken || told instanceof EnvelopeKeyMissing;
        // Base64 has bits that mean nothing: then the record is as good as it was.
        const isSame =
          told === 'hunter2' || told === 'more' || (typeof told === 'object' && told !== null && 'ok' in told);
        expect(isNamed || isSame, `byte ${at} ^ ${mask}: ${String(told)}`).toBe(true);
        if (isNamed) refused++;
      }
    }
  expect(refused).toBeGreaterThan(value.length * 5);
});

test('an older record or value in place of the newest is no secret of that place', async () => {
  const { secrets, store } = await openBench();
  await write(secrets, 'one');
  await write(secrets, 'two');
  const [one, two] = [1, 2].map((version) => `value/${place.scope}/${place.name}:${version}`) as [string, string];
  store.entries.set(two, store.entries.get(one)!);
  await expect(secrets.read(place, null)).rejects.toThrow(EnvelopeBroken);
  store.entries.delete(two);
  await expect(secrets.read(place, null)).rejects.toThrow('is not in the store');
});
