/** Values that are sealed one by one: no key and nonce comes twice, every changed bit is noticed, and none opens elsewhere. */
import { expect, it } from 'vitest';
import { SALT_BYTES } from '#storage/log-seal/seal.ts';
import { isSealedValue, VALUE_SEAL_BYTES, ValueReader, ValueWriter } from '#storage/log-seal/value.ts';
import { sealOf, vaultOf } from './keys.ts';

const KIND = 'submissions';
const PLAIN = Buffer.from('a planted value');

/** Key number, salt and number of the value: its key and nonce. */
const pairOf = (value: Buffer): string => value.subarray(1, 1 + 4 + SALT_BYTES + 6).toString('hex');

async function opened(reader: ValueReader, bound: string, value: Uint8Array): Promise<string | null> {
  await reader.know([value]);
  return reader.open(bound, value)?.toString() ?? null;
}

it('what was sealed opens in its place with its keys, and is nowhere in the value', async () => {
  const seal = sealOf(vaultOf(1));
  const value = new ValueWriter(seal, KIND, 'x').close('here', PLAIN);
  expect(value.includes(PLAIN)).toBe(false);
  expect([isSealedValue(value), value.length]).toEqual([true, PLAIN.length + VALUE_SEAL_BYTES]);
  const reader = new ValueReader(seal, KIND, 'x');
  expect(await opened(reader, 'here', value)).toBe(PLAIN.toString());
  expect(await opened(reader, 'there', value)).toBeNull();
  expect(await opened(new ValueReader(seal, KIND, 'y'), 'here', value)).toBeNull();
  expect(await opened(new ValueReader(seal, 'entries', 'x'), 'here', value)).toBeNull();
  expect(await opened(new ValueReader(sealOf(vaultOf(1), { log: 'other' }), KIND, 'x'), 'here', value)).toBeNull();
  const empty = new ValueWriter(seal, KIND, 'x').close('here', Buffer.alloc(0));
  expect(await opened(reader, 'here', empty)).toBe('');
});

it('every changed bit is noticed, and so is an end that is missing', async () => {
  const seal = sealOf(vaultOf(1));
  const value = new ValueWriter(seal, KIND, 'x').close('here', PLAIN);
  const reader = new ValueReader(seal, KIND, 'x');
  for (let byte = 0; byte < value.length; byte++)
    for (let bit = 0; bit < 8; bit++) {
      const changed = Buffer.from(value);
      changed[byte]! ^= 1 << bit;
      // A changed number of the data key names a key that the vault does not have.
      const given = await opened(reader, 'here', changed).catch((error: Error) => error.message);
      expect(given === null || given.includes('no such key'), `byte ${byte}, bit ${bit}: ${given}`).toBe(true);
    }
  for (let bytes = 0; bytes < value.length; bytes++)
    expect(await opened(reader, 'here', value.subarray(0, bytes))).toBeNull();
});

it('no key and nonce come twice, also where the same place is written again by one writer, or behind a database that was put back', () => {
  const pairs: string[] = [];
  for (let round = 0; round < 50; round++) {
    const writer = new ValueWriter(sealOf(vaultOf(1, ...(round > 25 ? [2] : []))), KIND, 'x');
    for (let n = 0; n < 50; n++) pairs.push(pairOf(writer.close('the same place', PLAIN)));
  }
  expect(new Set(pairs).size).toBe(pairs.length);
  const still = (): ValueWriter => new ValueWriter(sealOf(vaultOf(1), { random: (n) => Buffer.alloc(n) }), KIND, 'x');
  // A control: of writers whose salts are alike they do.
  expect(pairOf(still().close('', PLAIN))).toBe(pairOf(still().close('', PLAIN)));
});

it('a key that came later is asked for; one that is nowhere, and a reader without keys, are refused', async () => {
  const value = new ValueWriter(sealOf(vaultOf(1, 2)), KIND, 'x').close('here', PLAIN);
  const renewed = sealOf(vaultOf(1), { vault: vaultOf(1, 2) });
  expect(await opened(new ValueReader(renewed, KIND, 'x'), 'here', value)).toBe(PLAIN.toString());
  await expect(new ValueReader(sealOf(vaultOf(1)), KIND, 'x').know([value])).rejects.toThrow('no such key');
  await expect(new ValueReader(null, KIND, 'x').know([value])).rejects.toThrow(/sealed\n.*storage\.journal\.seal/);
  await new ValueReader(null, KIND, 'x').know([PLAIN]);
});
