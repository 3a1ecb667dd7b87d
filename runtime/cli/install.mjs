// Runs before `npm start`, `npm test` and `npm run check`, on whatever Node the machine has:
// installs the dependencies when they are missing or older than the lock file.
import { execFileSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));
const installed = `${root}node_modules/.package-lock.json`;
const fresh =
  existsSync(installed) &&
  existsSync(`${root}node_modules/.bin/node`) &&
  statSync(installed).mtimeMs >= statSync(`${root}package-lock.json`).mtimeMs;

if (!fresh) {
  console.error('skep: installing dependencies (once; about half a minute) …');
  execFileSync('npm', ['ci', '--no-fund', '--no-audit', '--loglevel=error'], { cwd: root, stdio: ['ignore', 2, 2] });
}
