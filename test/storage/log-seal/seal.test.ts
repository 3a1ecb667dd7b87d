/** Keys for writers, and that no pair of a key and a nonce comes twice. */
import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { FIRST_CHAIN } from '#storage/log-engine/chain.ts';
import { ShardLog } from '#storage/engine-journals/shard-log.ts';
import { fitsMark, markOf, nonceOf, SALT_BYTES, type LogSeal } from '#storage/log-seal/seal.ts';
import { sealOf, vaultOf } from './keys.ts';

/** Key number, salt, and the position, of which the nonce is made: what says which key and nonce a body has. */
const pairOf = (body: Uint8Array, seq: number): string =>
  `${Buffer.from(body.subarray(2, 6 + SALT_BYTES)).toString('hex')} ${nonceOf(seq).toString('hex')}`;

/** A writer's life: it sends entries from `seq` on, under an epoch. */
function life(seal: LogSeal, shard: number, epoch: number, seq: number, entries: number): string[] {
  const log = new ShardLog({
    shard,
    owned: { epoch, seq, chain: FIRST_CHAIN, time: 0 },
    entryBytesMax: 300,
    seal,
    now: () => 0,
    admit: () => undefined,
    wake: () => undefined,
  });
  const pairs: string[] = [];
  for (let n = 0; n < entries; n++) {
    log.append([{ key: 'k', value: Buffer.alloc(n * 20) }]);
    for (let entry = log.next(); entry !== null; entry = log.next()) {
      pairs.push(pairOf(entry.body, entry.seq));
      log.acknowledged();
    }
  }
  return pairs;
}

it('no key and nonce come twice: not over restarts, takeovers, rotations, nor where a database was put back and epochs and positions come again', () => {
  const pairs: string[] = [];
  for (let round = 0; round < 40; round++) {
    const seal = sealOf(vaultOf(1, ...(round > 20 ? [2] : [])));
    // The same shard, epoch and positions in each round, as behind a database that was put back each time; and other ones.
    pairs.push(...life(seal, 0, 1, 1, 30), ...life(seal, 1, 1, 1, 30), ...life(seal, 0, round, 30 * round, 30));
  }
  expect(pairs.length).toBeGreaterThan(4000);
  expect(new Set(pairs).size).toBe(pairs.length);
});

it('a control: writers whose salts are alike do repeat', () => {
  const seal = sealOf(vaultOf(1), { random: (bytes) => Buffer.alloc(bytes) });
  const pairs = [...life(seal, 0, 1, 1, 30), ...life(seal, 0, 1, 1, 30)];
  expect(new Set(pairs).size).toBe(pairs.length / 2);
});

it('each shard, kind, log, salt and data key has a key of its own', () => {
  const salt = randomBytes(SALT_BYTES);
  const keys = [
    sealOf(vaultOf(1)).reader('entries', 0, 1, salt),
    sealOf(vaultOf(1)).reader('entries', 1, 1, salt),
    sealOf(vaultOf(1)).reader('copy', 0, 1, salt),
    sealOf(vaultOf(1), { log: 'other' }).reader('entries', 0, 1, salt),
    sealOf(vaultOf(1)).reader('entries', 0, 1, randomBytes(SALT_BYTES)),
    sealOf(vaultOf(1, 2)).reader('entries', 0, 2, salt),
  ];
  const plain = Buffer.from('the same');
  for (const [at, key] of keys.entries()) {
    const [sealed, tag] = key.close(nonceOf(1), salt, plain);
    const opened = keys.map((other) => other.open(nonceOf(1), salt, sealed, tag)?.toString() ?? null);
    expect(opened).toEqual(keys.map((_, other) => (other === at ? 'the same' : null)));
  }
});

it('a key that came later is asked for, and one that the vault does not have is refused', async () => {
  const seal = sealOf(vaultOf(1), { vault: vaultOf(1, 2) });
  await seal.know([1, 2]);
  expect(seal.current).toBe(2);
  await expect(seal.know([3])).rejects.toThrow('the vault has no such key');
});

it('a mark tells another key, another log and another number', () => {
  const [key, other] = [randomBytes(32), randomBytes(32)];
  const mark = markOf(key, 'log', 1);
  expect(fitsMark(key, 'log', 1, mark)).toBe(true);
  expect([fitsMark(other, 'log', 1, mark), fitsMark(key, 'other', 1, mark), fitsMark(key, 'log', 2, mark)]).toEqual([
    false,
    false,
    false,
  ]);
  expect(() => sealOf(new Map([[1, Buffer.alloc(16)]]))).toThrow(RangeError);
});
