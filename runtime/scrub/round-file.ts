/**
 * What the rounds of one shard have come to, in a file beside it: when the last whole one ended, so that a restart goes on with the order of
 * the rounds, and how many were begun since and not ended. LMDB trusts its pages: damage in a branch may end the process that walks over it,
 * so a shard that nothing came back from is left alone. The file may be lost: then the shard is due.
 */
import { readFileSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface RoundState {
  /** Milliseconds since the epoch; null where none has ended. */
  readonly ended: number | null;
  /** Rounds begun since then that neither ended nor were given up. */
  readonly begun: number;
}

const NAME = 'scrubbed.json';

export function readRound(directory: string): RoundState {
  try {
    const { ended, begun } = JSON.parse(readFileSync(join(directory, NAME), 'utf8')) as Partial<RoundState>;
    return { ended: typeof ended === 'number' ? ended : null, begun: typeof begun === 'number' ? begun : 0 };
  } catch {
    return { ended: null, begun: 0 };
  }
}

/** A full disk costs the note only. */
export async function writeRound(directory: string, state: RoundState): Promise<void> {
  const path = join(directory, NAME);
  try {
    await writeFile(`${path}.tmp`, `${JSON.stringify(state)}\n`, { mode: 0o600 });
    await rename(`${path}.tmp`, path);
  } catch {
    // The next one may be written.
  }
}
