/** A seal, a barrier and secrets over memory, under a clock that the test moves. */
import { randomBytes } from 'node:crypto';
import { SimulatedClock } from '#test/kit/simulated-clock.ts';
import { Barrier } from '#actors/vault/seal/barrier.ts';
import { Seal } from '#actors/vault/seal/seal.ts';
import { Secrets } from '#actors/vault/secret/secrets.ts';
import { MemoryVault } from '#test/kit/memory-vault.ts';

export interface VaultBench {
  readonly store: MemoryVault;
  readonly seal: Seal;
  readonly barrier: Barrier;
  readonly secrets: Secrets;
  readonly clock: SimulatedClock;
  readonly random: (bytes: number) => Buffer;
}

/** `random` stands in for the system's, for a test that wants to see what became of the bytes. */
export function vaultBench(
  store = new MemoryVault(),
  state: 'sealed' | 'no-key' = 'sealed',
  random: (bytes: number) => Buffer = randomBytes,
): VaultBench {
  const clock = new SimulatedClock();
  const seal = new Seal(store, state);
  const barrier = new Barrier({ store, seal, random });
  const secrets = new Secrets({ store, barrier, clock, random });
  return { store, seal, barrier, secrets, clock, random };
}

export const rootKey = (byte: number): Buffer => Buffer.alloc(32, byte);

export async function openBench(store?: MemoryVault): Promise<VaultBench> {
  const bench = vaultBench(store);
  await bench.seal.unseal(rootKey(1), null);
  return bench;
}
