/** The base: a checkout of another commit in a temporary directory, with this one's packages. */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Base {
  readonly root: string;
  /** Twelve digits. */
  readonly commit: string;
  remove(): void;
}

const LOCK = 'package-lock.json';

/** Throws in words for people: no such commit, or packages that differ. */
export function checkOut(root: string, ref: string): Base {
  const git = (...args: string[]): string =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();
  const commit = commitOf(root, ref);
  const parent = realpathSync(mkdtempSync(join(tmpdir(), 'skep-base-')));
  const base = join(parent, 'base');
  const remove = (): void => {
    spawnSync('git', ['worktree', 'remove', '--force', base], { cwd: root, stdio: 'ignore' });
    rmSync(parent, { recursive: true, force: true });
  };
  try {
    git('worktree', 'add', '--detach', base, commit);
    linkPackages(root, base, ref);
    return { root: base, commit: commit.slice(0, 12), remove };
  } catch (error) {
    remove();
    throw error;
  }
}

function commitOf(root: string, ref: string): string {
  const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${ref}^{commit}`];
  const { status, stdout } = spawnSync('git', args, { cwd: root, encoding: 'utf8' });
  if (status !== 0) throw new Error(`git knows no commit ${ref}; git log --oneline shows them`);
  return stdout.trim();
}

/** Other packages would be measured along with the code, or not be there. */
function linkPackages(root: string, base: string, ref: string): void {
  const read = (tree: string): string => {
    const path = join(tree, LOCK);
    return existsSync(path) ? readFileSync(path, 'utf8') : '';
  };
  if (read(root) !== read(base))
    throw new Error(
      `${ref} has another ${LOCK}: its packages are not these\n` +
        `    compare with a commit that has the same, or measure each in a checkout of its own: npm run bench <cases> -- --json`,
    );
  symlinkSync(join(root, 'node_modules'), join(base, 'node_modules'));
}
