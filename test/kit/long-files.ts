/**
 * Test files that take long. `npm test` leaves them to `npm run test:ci`, so that it stays short; a run that names one runs it. What `npm test` cites of
 * them (citations.ts) is written down and judged by `npm run test:ci`, which CI runs behind it.
 */
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, matchesGlob } from 'node:path';
import { ROOT } from '#runtime/place.ts';
import type { Citation } from './citations.ts';

/** Real kills and failing disks, scenarios that wait for whole nodes to fall and come back, and a browser for what only browsers can show. */
const LONG = [
  'test/crash/*.test.ts',
  'test/scenario/audit-faults.test.ts',
  'test/scenario/mailbox-browser.test.ts',
  'test/scenario/page-life-chromium.test.ts',
  'test/scenario/passkeys-chromium.test.ts',
  'test/scenario/site-browser.test.ts',
];
const CITED = `${ROOT}node_modules/.cache/skep-cited.json`;

export function isLongFile(file: string): boolean {
  return LONG.some((pattern) => matchesGlob(file, pattern));
}

/** The long files that no argument after vitest's command names, as vitest compares names: by a part of the path. */
export function leftOut([, ...args]: readonly string[]): string[] {
  const names = args.filter((arg) => !arg.startsWith('-')).map((arg) => arg.replace(/^\.\//, ''));
  return globSync(LONG, { cwd: ROOT }).filter((file) => !names.some((name) => file.includes(name)));
}

/** Keeps what a whole run cites of files that it left out. */
export function keepCited(cited: readonly Citation[]): void {
  mkdirSync(dirname(CITED), { recursive: true });
  writeFileSync(CITED, JSON.stringify(cited));
}

/** What the last whole run of `npm test` cited, once; null where there was none. */
export function takeCited(): Citation[] | null {
  try {
    const cited = JSON.parse(readFileSync(CITED, 'utf8')) as Citation[];
    rmSync(CITED);
    return cited;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
