/** The version of this Skep, of its dependencies, and its commit. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { ROOT } from './place.ts';

interface Package {
  readonly version: string;
  readonly dependencies: Readonly<Record<string, string>>;
}

/** The version of this Skep. */
export function skepVersion(): string {
  return packageFile().version;
}

export function packageFile(): Package {
  return JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8')) as Package;
}

const NOT_KNOWN = { commit: 'unknown', date: 'unknown' };

/** The commit of this program and its date (ISO 8601); `unknown` where the program is not in a git checkout of its own. */
export function commitOf(root: string = ROOT): { readonly commit: string; readonly date: string } {
  if (!existsSync(`${root}/.git`)) return NOT_KNOWN;
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
