/**
 * Programs of another commit, out of this repository's own history, with the packages of this checkout. They are built once and kept in the folder of temporary files, since Node takes no sources below `node_modules`; null where the history does not have the commit, as in
 * a shallow clone, and that is said loudly.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { hash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '#runtime/place.ts';

/** What `skep` consists of. */
const PARTS = [
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'actors',
  'client',
  'config',
  'runtime',
  'storage',
];
const NODE = join(ROOT, 'node_modules/.bin/node');

export interface Release {
  readonly name: string;
  /** `skep`. */
  readonly launcher: string;
  /** Where its programs are. */
  readonly env: Readonly<Record<string, string>>;
}

const releaseIn = (root: string, name: string): Release => ({
  name,
  launcher: join(root, 'runtime/cli/skep'),
  env: { SKEP_DIST: join(root, 'dist') },
});

/** This checkout. */
export const present = releaseIn(ROOT, 'present');

/** `version`: what it calls itself in place of its own number, since commits between two releases have the one of the release before. */
export function releaseOf(commit: string, version: string | null = null): Release | null {
  const name = `${commit.slice(0, 8)}${version === null ? '' : `-${version}`}`;
  if (spawnSync('git', ['cat-file', '-e', `${commit}^{commit}`], { cwd: ROOT }).status !== 0) {
    process.stderr.write(
      `\n*** skipped: the history has no commit ${name}, so two releases on one log were NOT tested ***\n`,
    );
    return null;
  }
  // Beside those of other checkouts, whose packages are others.
  const kept = join(tmpdir(), `skep-releases-${hash('sha256', ROOT).slice(0, 8)}`);
  const root = join(kept, name);
  if (existsSync(root)) return releaseIn(root, name);
  mkdirSync(kept, { recursive: true });
  const made = mkdtempSync(join(kept, `${name}.`));
  try {
    const pack = join(made, 'parts.tar');
    execFileSync('git', ['archive', '--output', pack, commit, ...PARTS], { cwd: ROOT });
    execFileSync('tar', ['-xf', pack, '-C', made]);
    rmSync(pack);
    if (version !== null) rename(join(made, 'package.json'), version);
    symlinkSync(join(ROOT, 'node_modules'), join(made, 'node_modules'));
    const env = { ...process.env, SKEP_DIST: '' };
    execFileSync(NODE, ['--disable-warning=ExperimentalWarning', 'runtime/cli/build.ts'], { cwd: made, env });
    // Another run may have been faster.
    if (!existsSync(root)) renameSync(made, root);
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
  return releaseIn(root, name);
}

function rename(file: string, version: string): void {
  const made = { ...(JSON.parse(readFileSync(file, 'utf8')) as object), version };
  writeFileSync(file, `${JSON.stringify(made, null, 2)}\n`);
}
