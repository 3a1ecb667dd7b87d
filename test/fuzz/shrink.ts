/** Makes a failing input shorter while it fails in the same way. */

/** Why an input fails, without what differs from one to the next; null for one that does not. */
export type Fails = (input: Buffer) => Promise<string | null>;

const RUNS_MAX = 3000;

/** Leaves stretches out, halves first, single bytes last, until none can go. */
export async function shrunk(input: Buffer, fails: Fails): Promise<Buffer> {
  const why = await fails(input);
  let best = input;
  let runs = 0;
  for (let size = Math.ceil(best.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let at = 0; at < best.length && runs < RUNS_MAX; runs++) {
      const shorter = Buffer.concat([best.subarray(0, at), best.subarray(at + size)]);
      if ((await fails(shorter)) === why) best = shorter;
      else at += size;
    }
  }
  return best;
}
