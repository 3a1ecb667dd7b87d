/** Files of submissions that the running store does not use: an erasure does not reach them, and names them. */
import { existsSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { StoreSettings } from '../store-settings.ts';

/** Databases that `intake rebuild` kept, a killed verb left, or `backend: postgres` took in; the database or the log of another `storage` setting. */
export function otherCopies({ backend, walJsonl, embeddedPath, jsonlDir }: StoreSettings): readonly string[] {
  const found = [...keptBeside(embeddedPath), ...keptBeside(jsonlDir)];
  if (backend === 'jsonl' && existsSync(embeddedPath)) found.push(embeddedPath);
  const hasLog = namesIn(jsonlDir).some((other) => other.endsWith('.jsonl'));
  if (backend === 'embedded' && !walJsonl && hasLog) found.push(jsonlDir);
  return found.sort();
}

function keptBeside(path: string): readonly string[] {
  const [folder, name] = [dirname(path), basename(path)];
  const kept = namesIn(folder).filter((other) => /^\.(before-|rebuild$|verify-)/.test(other.slice(name.length)));
  return kept.filter((other) => other.startsWith(name)).map((other) => join(folder, other));
}

function namesIn(folder: string): readonly string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}
