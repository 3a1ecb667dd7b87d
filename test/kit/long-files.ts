/**
 * Test files that take long. `npm test` leaves them to `npm run test:ci`, so that it stays short; a run that names one runs it. What `npm test` leaves
 * open with them is written down and judged by `npm run test:ci`, which CI runs behind it: what it cites of them (citations.ts), and which described
 * answers it saw (documented.ts).
 */
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, matchesGlob } from 'node:path';
import { ROOT } from '#runtime/place.ts';
import type { Citation } from './citations.ts';

/** Scenarios that wait for whole nodes to fall and come back, for damage to be found, for browsers, for every command of a page. */
const LONG_SCENARIOS = [
  'acme',
  'audit-{faults,vault-keys,witness}',
  'cli-operator',
  'client-browser',
  'content-fs',
  'damaged-{journal,pages,rows}',
  'data-{bulk,bulk-memory}',
  'deleted-tenant-courier',
  'demo',
  'drain',
  'faulty-parts',
  'hostile-neighbours',
  'identity-full-disk',
  'intake-{cli,notify}',
  'kept-revision',
  'mailbox-browser',
  'node-backup',
  'old-directory',
  'page-life-chromium',
  'pages-browser',
  'passkeys-chromium',
  'readme',
  'renewed-certificate',
  'scrub',
  'scrub-damaged-pages',
  'served-repair',
  'signed-urls-browser',
  'site-browser',
  'tenant-at-a-moment',
  'tenant-standing-kept',
  'traces',
  'upgrade-check',
  'vault-{agent,guards,remote-audit,rollback}',
  'watchdog',
];
/** And real kills and failing disks. */
export const LONG = ['test/crash/*.test.ts', ...LONG_SCENARIOS.map((name) => `test/scenario/${name}.test.ts`)];
const LEFT = `${ROOT}node_modules/.cache/skep-left.json`;

/** What a whole run of `npm test` leaves to `npm run test:ci`. */
export interface LeftOpen {
  /** What its tests cite of long files. */
  readonly cited: readonly Citation[];
  /** The described answers that its tests saw. */
  readonly seen: readonly string[];
}

export function isLongFile(file: string): boolean {
  return LONG.some((pattern) => matchesGlob(file, pattern));
}

/** The long files that no argument after vitest's command names, as vitest compares names: by a part of the path. */
export function leftOut([, ...args]: readonly string[]): string[] {
  const names = args.filter((arg) => !arg.startsWith('-')).map((arg) => arg.replace(/^\.\//, ''));
  return globSync(LONG, { cwd: ROOT }).filter((file) => !names.some((name) => file.includes(name)));
}

export function keepLeftOpen(left: LeftOpen): void {
  mkdirSync(dirname(LEFT), { recursive: true });
  writeFileSync(LEFT, JSON.stringify(left));
}

/** What the last whole run of `npm test` left, once; null where there was none. */
export function takeLeftOpen(): LeftOpen | null {
  try {
    const left = JSON.parse(readFileSync(LEFT, 'utf8')) as LeftOpen;
    rmSync(LEFT);
    return left;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
