/** Seals of logs with keys that a test knows. */
import { randomBytes } from 'node:crypto';
import { LogSeal } from '#storage/log-seal/seal.ts';

/** Keys by number, as a vault has them. */
export function vaultOf(...numbers: readonly number[]): Map<number, Buffer> {
  return new Map(numbers.map((no) => [no, Buffer.alloc(32, no)]));
}

export function sealOf(
  keys: ReadonlyMap<number, Buffer>,
  more: {
    readonly log?: string;
    readonly vault?: ReadonlyMap<number, Buffer>;
    readonly random?: (n: number) => Buffer;
  } = {},
): LogSeal {
  const { log = 'log', vault = keys, random = randomBytes } = more;
  return new LogSeal({ log, keys, renew: async () => vault, random });
}
