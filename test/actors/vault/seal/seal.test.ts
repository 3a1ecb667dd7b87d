/** Root keys: unsealing, rotation by configuration, shares. Source: docs/contract/vault.md §5.2. */
import { expect, test } from 'vitest';
import { EnvelopeBroken, EnvelopeKeyMissing, termOf } from '#actors/vault/seal/envelope.ts';
import { SEAL_PATH, SealRefused, Sealed } from '#actors/vault/seal/seal.ts';
import { Shares } from '#actors/vault/seal/shares.ts';
import { MemoryVault } from '#test/kit/memory-vault.ts';
import { openBench, rootKey, vaultBench } from '../bench.ts';

const place = { scope: 'acme:shop:dev:main', name: 'a' };
const wrappedTerms = (store: MemoryVault): number[] =>
  Object.values(
    (JSON.parse(store.entries.get('key/acme:shop:dev:main')!.value.toString()) as { terms: Record<string, string> })
      .terms,
  ).map((text) => termOf(Buffer.from(text, 'base64')));

test('the store keeps a check value, never the key; another key is refused before anything is closed with it', async () => {
  const { store } = await openBench();
  expect(store.dump()).not.toContain(rootKey(1).toString('latin1'));
  const other = vaultBench(store);
  await expect(other.seal.unseal(rootKey(2), null)).rejects.toThrow(SealRefused);
  await expect(other.seal.unseal(rootKey(2), rootKey(3))).rejects.toThrow('neither the current nor the previous');
  expect(other.seal.state).toBe('sealed');
  await expect(other.secrets.write(place, Buffer.from('x'), 'me', null)).rejects.toThrow(Sealed);
});

test('a new root key beside the previous one: a new term, tenant keys move under it, then the old one is not needed', async () => {
  const first = await openBench();
  await first.secrets.write(place, Buffer.from('hunter2'), 'me', null);
  const second = vaultBench(first.store);
  expect(await second.seal.unseal(rootKey(2), rootKey(1))).toBe(true);
  expect(second.seal.current).toBe(2);
  expect(((await second.secrets.read(place, null)) as { value: Buffer }).value.toString()).toBe('hunter2');
  expect(wrappedTerms(first.store)).toEqual([1]);
  expect(await second.barrier.rewrap()).toBe(1);
  expect(wrappedTerms(first.store)).toEqual([2]);
  expect(await second.barrier.rewrap()).toBe(0);
  const third = vaultBench(first.store);
  expect(await third.seal.unseal(rootKey(2), null)).toBe(false);
  expect(((await third.secrets.read(place, null)) as { value: Buffer }).value.toString()).toBe('hunter2');
});

test('a crash between the new term and the move loses nothing: both keys are still configured', async () => {
  const first = await openBench();
  await first.secrets.write(place, Buffer.from('hunter2'), 'me', null);
  await vaultBench(first.store).seal.unseal(rootKey(2), rootKey(1)); // and no rewrap
  const again = vaultBench(first.store);
  expect(await again.seal.unseal(rootKey(2), rootKey(1))).toBe(false);
  expect(((await again.secrets.read(place, null)) as { value: Buffer }).value.toString()).toBe('hunter2');
  expect(await again.barrier.rewrap()).toBe(1);
  const late = vaultBench(first.store);
  await late.seal.unseal(rootKey(2), null);
  expect(((await late.secrets.read(place, null)) as { value: Buffer }).value.toString()).toBe('hunter2');
});

test('without the previous key what is still under it fails by name', async () => {
  const first = await openBench();
  await first.secrets.write(place, Buffer.from('x'), 'me', null);
  await vaultBench(first.store).seal.unseal(rootKey(2), rootKey(1));
  const late = vaultBench(first.store);
  await late.seal.unseal(rootKey(2), null);
  await expect(late.secrets.read(place, null)).rejects.toThrow(EnvelopeKeyMissing);
});

test('tenants’ keys rotate while their secrets are read: old values under the old term, new ones under the new', async () => {
  const { secrets, barrier, store } = await openBench();
  await secrets.write(place, Buffer.from('old'), 'me', null);
  const before = termOf(store.entries.get('secret/acme:shop:dev:main/a')!.value);
  const [term, read] = await Promise.all([barrier.rotate(place.scope), secrets.read(place, null)]);
  expect((read as { value: Buffer }).value.toString()).toBe('old');
  await secrets.write(place, Buffer.from('new'), 'me', null);
  expect([before, term, termOf(store.entries.get('secret/acme:shop:dev:main/a')!.value)]).toEqual([1, 2, 2]);
  expect(((await secrets.read(place, 1)) as { value: Buffer }).value.toString()).toBe('old');
});

test('another vault on the same store follows a rotation that it did not make', async () => {
  const one = await openBench();
  const two = vaultBench(one.store);
  await two.seal.unseal(rootKey(1), null);
  await two.secrets.write(place, Buffer.from('x'), 'me', null);
  await one.barrier.rotate(place.scope);
  await one.secrets.write(place, Buffer.from('y'), 'me', null);
  expect(((await two.secrets.read(place, null)) as { value: Buffer }).value.toString()).toBe('y');
});

test('sealing zeroes the keys, and a reader that waited meets no zeroed key', async () => {
  const held: Buffer[] = [];
  const bench = vaultBench(new MemoryVault(), 'sealed', (bytes) => {
    const made = Buffer.alloc(bytes, 5);
    held.push(made);
    return made;
  });
  const root = rootKey(1);
  await bench.seal.unseal(root, null);
  await bench.secrets.write(place, Buffer.from('x'), 'me', null);
  expect(held.filter(({ length }) => length === 32).every((one) => one.every((byte) => byte === 0))).toBe(true);
  bench.barrier.forget();
  bench.seal.seal();
  expect(root.every((byte) => byte === 0)).toBe(true);
  await expect(bench.secrets.read(place, null)).rejects.toThrow(Sealed);
  await bench.seal.unseal(rootKey(1), null);
  const reads = Array.from({ length: 8 }, () => bench.secrets.read(place, null));
  const turns = Array.from({ length: 8 }, () => bench.barrier.rotate(place.scope).catch(() => 0));
  for (const read of await Promise.all(reads)) expect((read as { value: Buffer }).value.toString()).toBe('x');
  await Promise.all(turns);
});

test('a root key in shares: any three of five unseal, two do not, wrong ones are refused and dropped', async () => {
  const { store, seal, random } = vaultBench();
  const shares = await new Shares({ seal, random }).init(5, 3);
  expect(seal.state).toBe('open');
  expect(store.dump()).not.toContain(shares[0]!);
  expect(JSON.parse(store.entries.get(SEAL_PATH)!.value.toString())).toMatchObject({ kind: 'shamir', threshold: 3 });
  const bytes = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'base64'));
  for (const chosen of [
    [0, 1, 2],
    [4, 2, 0],
    [1, 3, 4],
  ]) {
    // prettier-ignore
    const later = vaultBench(store);
    const given = new Shares(later);
    expect(await given.give(bytes(shares[chosen[0]!]!), 3)).toBe('more');
    expect(await given.give(bytes(shares[chosen[0]!]!), 3)).toBe('more'); // the same again is one
    expect(await given.give(bytes(shares[chosen[1]!]!), 3)).toBe('more');
    expect(later.seal.state).toBe('sealed');
    expect(await given.give(bytes(shares[chosen[2]!]!), 3)).toBe('unsealed');
  }
  const wrong = vaultBench(store);
  const given = new Shares(wrong);
  await given.give(bytes(shares[0]!), 3);
  await given.give(bytes(shares[1]!), 3);
  const forged = bytes(shares[2]!);
  forged[3]! ^= 1;
  expect(await given.give(forged, 3)).toBe('wrong');
  expect([given.progress, wrong.seal.state]).toEqual([0, 'sealed']);
});

test('a record without an envelope is refused where there is a root key, and an envelope where there is none', async () => {
  const bare = vaultBench(new MemoryVault(), 'no-key');
  await bare.secrets.write(place, Buffer.from('x'), 'me', null);
  expect(((await bare.secrets.read(place, null)) as { value: Buffer }).value.toString()).toBe('x');
  const keyed = vaultBench(bare.store);
  await keyed.seal.unseal(rootKey(1), null);
  await expect(keyed.secrets.read(place, null)).rejects.toThrow(EnvelopeBroken);
  await keyed.secrets.write({ ...place, name: 'b' }, Buffer.from('y'), 'me', null);
  await expect(bare.secrets.read({ ...place, name: 'b' }, null)).rejects.toThrow(EnvelopeKeyMissing);
});
