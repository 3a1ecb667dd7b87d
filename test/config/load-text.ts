/** A platform file given as text, and what loading makes of it. */
import { loadPlatformText, type LoadOptions, type Loaded } from '#config/load.ts';
import type { Platform } from '#config/platform.ts';
import { renderProblems } from '#config/problem.ts';

export const BASE: LoadOptions = { env: {}, cwd: '/work-dir', cores: 4 };

export function load(text: string, options: Partial<LoadOptions> = {}): Loaded {
  return loadPlatformText(text, '/etc/skep/p.yaml', { ...BASE, ...options });
}

export function good(text: string, options: Partial<LoadOptions> = {}): Platform {
  const loaded = load(text, options);
  if ('problems' in loaded) throw new Error(renderProblems(loaded.problems));
  return loaded.platform;
}

/** `line:column message / mend` of each problem. */
export function bad(text: string, options: Partial<LoadOptions> = {}): string[] {
  const loaded = load(text, options);
  if (!('problems' in loaded)) throw new Error('loaded without problems');
  const where = (line: number, column: number, file: string): string => (line === 0 ? file : `${line}:${column}`);
  return loaded.problems.map((p) => `${where(p.line, p.column, p.file)} ${p.message} / ${p.mend}`);
}
