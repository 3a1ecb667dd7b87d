/** Sources without their types, kept between the processes of a run: Node takes them off each source in each process anew, a third of the time that a simulation takes to load. */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { ROOT } from '#runtime/place.ts';

const FOLDER = `${ROOT}node_modules/.cache/stripped`;
mkdirSync(FOLDER, { recursive: true });

export function stripped(source: string): string {
  const hash = createHash('sha256').update(process.version).update('\0').update(source);
  const kept = `${FOLDER}/${hash.digest('hex')}.js`;
  try {
    return readFileSync(kept, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  const code = stripTypeScriptTypes(source);
  // Whole or not there, for the processes beside this one.
  writeFileSync(`${kept}.${process.pid}`, code);
  renameSync(`${kept}.${process.pid}`, kept);
  return code;
}
