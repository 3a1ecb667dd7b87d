/** Installs the peers into their own folder, once for each lock file; no package's own script runs. */
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, readFileSync } from 'node:fs';
import { PEERS_DIR } from './peer.ts';

const LOCK = `${PEERS_DIR}package-lock.json`;
/** The lock file that the folder was installed from. */
const MARK = `${PEERS_DIR}node_modules/.skep-lock.json`;

export function isInstalled(): boolean {
  return existsSync(MARK) && readFileSync(MARK, 'utf8') === readFileSync(LOCK, 'utf8');
}

/** Throws with what npm said. */
export function installPeers(): void {
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund'];
  const { status, stderr, error } = spawnSync('npm', args, { cwd: PEERS_DIR, encoding: 'utf8' });
  if (error !== undefined || status !== 0)
    throw new Error(`the peers could not be installed: ${error?.message ?? stderr.trim()}`);
  copyFileSync(LOCK, MARK);
}
