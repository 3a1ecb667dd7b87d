/** The platform that a file declares. */
import { loadPlatform } from '#config/load.ts';
import type { Platform } from '#config/platform.ts';
import { renderProblems } from '#config/problem.ts';

/** Throws with the problems of a file that has any. */
export function platformOf(file: string): Platform {
  const loaded = loadPlatform(file, { env: {} });
  if ('problems' in loaded) throw new Error(renderProblems(loaded.problems));
  return loaded.platform;
}
