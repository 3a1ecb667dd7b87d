// Runs before `npm start`, `npm test` and `npm run check`, on whatever Node the machine has:
// installs the dependencies when they are missing or not those of the lock file.
import { execFileSync } from 'node:child_process';
import { existsSync, lstatSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));

const packagesOf = (path) => JSON.parse(readFileSync(`${root}${path}`, 'utf8')).packages;

// Times of files say nothing (a checkout is newer than what it holds): the two lock files are compared.
function isInstalled() {
  const record = 'node_modules/.package-lock.json';
  if (!existsSync(`${root}${record}`) || !existsSync(`${root}node_modules/.bin/node`)) return false;
  const installed = packagesOf(record);
  return Object.entries(packagesOf('package-lock.json')).every(([path, wanted]) => {
    // The tree itself and its workspaces, which have no dependencies of their own.
    if (!path.startsWith('node_modules/') || wanted.link === true) return true;
    const found = installed[path];
    return found === undefined ? wanted.optional === true : found.integrity === wanted.integrity;
  });
}

function isLinked() {
  return lstatSync(`${root}node_modules`, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}

if (!isInstalled()) {
  if (isLinked()) {
    console.error('skep: node_modules is a link to another tree, which does not hold what package-lock.json names.');
    console.error('    `npm ci` would empty that tree: install there, or remove the link.');
    process.exit(1);
  }
  console.error('skep: installing dependencies (once; about half a minute) …');
  try {
    execFileSync('npm', ['ci', '--no-fund', '--no-audit', '--loglevel=error'], { cwd: root, stdio: ['ignore', 2, 2] });
  } catch {
    console.error('skep: `npm ci` failed (above is why); run it again when the registry can be reached.');
    process.exit(1);
  }
}
