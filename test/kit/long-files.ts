/**
 * Test files that take long. `npm test` leaves them to `npm run test:ci`, so that it stays short; a run that names one runs it. What `npm test` leaves
 * open with them is written down and judged by `npm run test:ci`, which CI runs behind it: what it cites of them (citations.ts), and which described
 * answers it saw (documented.ts).
 */
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { ROOT } from '#runtime/place.ts';
import type { Citation } from './citations.ts';

/**
 * Scenarios that wait for whole nodes to fall and come back, for damage to be found, for browsers, for every command of a page or of a part of
 * the command line, or that send every route as every caller.
 */
const LONG_SCENARIOS = [
  '*-{browser,chromium}',
  'acme',
  'alerts',
  'audit-{faults,rotate-key,vault-keys,witness}',
  'authority-matrix',
  'captcha',
  'carried-doors',
  'changes-bounds',
  'cli-{data,operator}',
  'client-{generators,offline}',
  'clock-jumps',
  'content-{fs,memory,places}',
  'damaged-{journal,pages,rows}',
  'data-{bulk,bulk-memory}',
  'deleted-tenant-courier',
  'demo',
  'deploy',
  'dev',
  'docs-commands',
  'drain',
  'expression-runaways',
  'faults',
  'faulty-parts',
  'field-roles',
  'help-desk-principals',
  'hostile-neighbours',
  'identity-{audit,full-disk,users}',
  'intake-{cli,notify,person}',
  'kept-revision',
  'live-{hostile,metrics}',
  'new-product',
  'node-backup',
  'old-directory',
  'privacy',
  'readme',
  'renewed-certificate',
  'rolled-back-directory',
  'scrub',
  'scrub-damaged-pages',
  'served-repair',
  'shared-certificates',
  'soak',
  'standby-secrets',
  'tenant-at-a-moment',
  'tenant-copies-content',
  'tenant-forms',
  'tenant-standing-kept',
  'three-doors',
  'traces',
  'upgrade-check',
  'user-import',
  'vault-{agent,cli,guards,keyring,remote-audit,rollback}',
  'views',
  'watchdog',
];
/** And real kills and failing disks, memory and bundles that are measured and made again, copies of the project that are compiled, and campaigns without a short form. */
export const LONG = [
  'test/crash/*.test.ts',
  'test/fuzz/inputs.test.ts',
  ...LONG_SCENARIOS.map((name) => `test/scenario/${name}.test.ts`),
  'test/runtime/{cli/client-files,door/closed-memory,jobs/runaways,place}.test.ts',
  'test/config/{json-schema,values/field-types}.test.ts',
];
const LEFT = `${ROOT}node_modules/.cache/skep-left.json`;

/** What a whole run of `npm test` leaves to `npm run test:ci`. */
export interface LeftOpen {
  /** What its tests cite of long files. */
  readonly cited: readonly Citation[];
  /** The described answers that its tests saw. */
  readonly seen: readonly string[];
}

/** Looked up once: to match each file with each pattern takes two seconds. */
let found: ReadonlySet<string> | null = null;

/** `file`: of the project, from its root. */
export function isLongFile(file: string): boolean {
  found ??= new Set(globSync(LONG, { cwd: ROOT }));
  return found.has(file);
}

/** What the arguments after vitest's command name: files, by a part of their path. */
export function namedFiles([, ...args]: readonly string[]): string[] {
  return args.filter((arg) => !arg.startsWith('-')).map((arg) => arg.replace(/^\.\//, ''));
}

/** The long files that no argument names. */
export function leftOut(args: readonly string[]): string[] {
  const names = namedFiles(args);
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
