/** The version of this Skep, of its dependencies, and its commit. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { ROOT } from './place.ts';

interface Package {
  readonly version: string;
  readonly dependencies: Readonly<Record<string, string>>;
  /** In a packed Skep: the addon of the door, which the package leaves to the operator. */
  readonly peerDependencies?: Readonly<Record<string, string>>;
  /** In a packed Skep: the commit that it was made from. */
  readonly madeFrom?: Commit;
}

export interface Commit {
  readonly commit: string;
  /** ISO 8601. */
  readonly date: string;
}

/** The version of this Skep. */
export function skepVersion(): string {
  return packageFile().version;
}

export function packageFile(root: string = ROOT): Package {
  return JSON.parse(readFileSync(`${root}/package.json`, 'utf8')) as Package;
}

const NOT_KNOWN: Commit = { commit: 'unknown', date: 'unknown' };

/** The commit of this program and its date; a package names the one that it was made from. `unknown` elsewhere outside of a git checkout. */
export function commitOf(root: string = ROOT): Commit {
  if (!existsSync(`${root}/.git`)) return madeFrom(root);
  try {
    // git refuses a checkout of another owner, and the user who runs this program need not own it.
    const args = ['-c', 'safe.directory=*', '-C', root, 'log', '-1', '--format=%H %cI'];
    const env = { PATH: process.env['PATH'] };
    const [commit = '', date = ''] = execFileSync('git', args, {
      env,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    })
      .trim()
      .split(' ');
    return /^[0-9a-f]{40,64}$/.test(commit) ? { commit, date } : NOT_KNOWN;
  } catch {
    return NOT_KNOWN; // no git, or no commit yet
  }
}

function madeFrom(root: string): Commit {
  return (existsSync(`${root}/package.json`) ? packageFile(root).madeFrom : undefined) ?? NOT_KNOWN;
}
