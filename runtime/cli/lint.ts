/**
 * `npm run check:lint`: oxlint with types, over the files that may have changed their verdict since it last found nothing wrong (stale-files.ts). Such a
 * run is remembered in node_modules/.cache; where there is none, as in CI, all files are read.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { ROOT } from '#runtime/place.ts';
import { cleanRunOf, staleFiles, type CleanRun, type Files } from './stale-files.ts';

const MEMORY = `${ROOT}node_modules/.cache/lint.json`;
const READ = /\.(?:[mc]?[jt]sx?|json)$/;
const LINTED = /\.(?:[mc]?[jt]sx?)$/;

function filesOfProject(): Files {
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: ROOT,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  const files = new Map<string, string>();
  for (const path of listed.split('\0')) {
    const text = READ.test(path) ? textOf(`${ROOT}${path}`) : null;
    if (text !== null) files.set(path, text);
  }
  return files;
}

/** Null where there is none: git lists a file that was removed until that is staged. */
function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

function lastClean(): CleanRun | null {
  const text = textOf(MEMORY);
  return text === null ? null : (JSON.parse(text) as CleanRun);
}

/** Null outside of a working copy of git, where all files are read and nothing is remembered. */
function knownFiles(): Files | null {
  try {
    return filesOfProject();
  } catch {
    return null;
  }
}

const files = knownFiles();
const { imports } = JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8')) as { imports: Record<string, string> };
const stale = files === null ? 'all' : staleFiles(files, lastClean(), imports);
const named = stale === 'all' ? [] : stale.filter((path) => LINTED.test(path));
if (stale === 'all' || named.length > 0) {
  const flags = ['--type-aware', '--deny-warnings', '--no-error-on-unmatched-pattern'];
  const { status, error } = spawnSync(`${ROOT}node_modules/.bin/oxlint`, [...flags, ...named], {
    cwd: ROOT,
    stdio: 'inherit',
  });
  if (error !== undefined) throw error;
  if (status !== 0) process.exitCode = status ?? 1;
} else console.log('no file has changed since all were clean');
if (files !== null && process.exitCode === undefined) remember(files);

function remember(clean: Files): void {
  mkdirSync(dirname(MEMORY), { recursive: true });
  writeFileSync(MEMORY, JSON.stringify(cleanRunOf(clean)));
}
