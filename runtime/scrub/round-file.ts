/**
 * When the last complete round over one shard, or over all logs, ended: after a restart the rounds continue in order. Without the file a round is
 * due.
 */
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

/** If the disk is full, only this note is lost. */
export async function writeRoundEnd(directory: string, ended: number): Promise<void> {
  const path = join(directory, NAME);
  try {
    await writeFile(`${path}.tmp`, `${JSON.stringify({ ended })}\n`, { mode: 0o600 });
    await rename(`${path}.tmp`, path);
  } catch {
    // The next round may be able to write it.
  }
}
