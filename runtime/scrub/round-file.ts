/** When the last whole round over one shard, or over all logs, ended: a restart goes on with the order of the rounds. Without the file they are due. */
import { readFileSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const NAME = 'scrubbed.json';

/** Milliseconds since the epoch; null where none has ended. */
export function readRoundEnd(directory: string): number | null {
  try {
    const { ended } = JSON.parse(readFileSync(join(directory, NAME), 'utf8')) as { ended?: unknown };
    return typeof ended === 'number' ? ended : null;
  } catch {
    return null;
  }
}

/** A full disk costs the note only. */
export async function writeRoundEnd(directory: string, ended: number): Promise<void> {
  const path = join(directory, NAME);
  try {
    await writeFile(`${path}.tmp`, `${JSON.stringify({ ended })}\n`, { mode: 0o600 });
    await rename(`${path}.tmp`, path);
  } catch {
    // The next one may be written.
  }
}
