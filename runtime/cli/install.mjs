// Runs before `npm start`, `npm test` and `npm run check`, on whatever Node the machine has:
// installs the dependencies when they are missing or not those of the lock file. With the word `start` those that a node needs
// suffice, two fifths of all; the others come with the first command that needs them.
import { execFileSync } from 'node:child_process';
import { existsSync, lstatSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));
const forStart = process.argv[2] === 'start';

const packagesOf = (path) => JSON.parse(readFileSync(`${root}${path}`, 'utf8')).packages;

// What of the lock file is wanted and is not there as it says; null where nothing is there.
// Times of files say nothing (a checkout is newer than what it holds): the two lock files are compared.
function lacking() {
  const record = 'node_modules/.package-lock.json';
  if (!existsSync(`${root}${record}`) || !existsSync(`${root}node_modules/.bin/node`)) return null;
  const installed = packagesOf(record);
  return Object.entries(packagesOf('package-lock.json')).filter(([path, wanted]) => {
    // The tree itself and its workspaces, which have no dependencies of their own.
    if (!path.startsWith('node_modules/') || wanted.link === true) return false;
    if (forStart && wanted.dev === true) return false;
    const found = installed[path];
    if (found === undefined) return wanted.optional !== true && !(forStart && wanted.devOptional === true);
    return found.integrity !== wanted.integrity;
  });
}

// Whether packages of tests are there, which an install of what a node needs would take away.
function hasRest() {
  const record = 'node_modules/.package-lock.json';
  return existsSync(`${root}${record}`) && Object.values(packagesOf(record)).some(({ dev }) => dev === true);
}

function isLinked() {
  return lstatSync(`${root}node_modules`, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}

const lacks = lacking();
if (lacks === null || lacks.length > 0) {
  if (isLinked()) {
    console.error('skep: node_modules is a link to another tree, which does not hold what package-lock.json names.');
    console.error('    `npm ci` would empty that tree: install there, or remove the link.');
    process.exit(1);
  }
  // Where all is right that is there, the rest is added: `npm ci` would empty the tree, from which a node may be running.
  const isPart = lacks !== null && lacks.every(([path]) => !existsSync(`${root}${path}`));
  const verb = isPart ? ['install', '--no-save'] : ['ci'];
  const isLean = forStart && !hasRest();
  const command = ['npm', ...verb, ...(isLean ? ['--omit=dev'] : [])].join(' ');
  const what = isLean
    ? 'what a node needs (once; about a quarter of a minute)'
    : 'dependencies (once; about half a minute)';
  console.error(`skep: installing ${what} …`);
  try {
    const [program, ...args] = command.split(' ');
    execFileSync(program, [...args, '--no-fund', '--no-audit', '--loglevel=error'], {
      cwd: root,
      stdio: ['ignore', 2, 2],
    });
  } catch {
    console.error(`skep: \`${command}\` failed (above is why); run it again when the registry can be reached.`);
    process.exit(1);
  }
}
