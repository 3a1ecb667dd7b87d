import { fileURLToPath } from 'node:url';
import { readTree, type SourceFile } from './source.ts';

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** The project's own files whose path matches. */
export function projectFiles(pattern: RegExp): SourceFile[] {
  return readTree(ROOT, (path) => pattern.test(path));
}
