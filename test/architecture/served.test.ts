import { expect, test } from 'vitest';
import { projectFiles } from './project.ts';
import { checkServed } from './served.ts';

/** Programs, threads, jobs and what package.json, npm and git name; templates are copied as they are. */
const BEGINS =
  /^runtime\/embed\.ts$|^runtime\/cli\/(?:skep|check|lint|generate|build|console|pack|image|site)\.ts$|\.d\.ts$|\.(?:worker|process|job)\.ts$|^config\/samples\//;

test('each file of the floors is there for a node, and not for tests alone', () => {
  const files = projectFiles(/^(?:config|storage|actors|runtime)\/.*\.ts$/);
  expect(checkServed(files, (path) => BEGINS.test(path))).toEqual([]);
});

test('caught: a file of a floor that only tests import', () => {
  const files = [
    { path: 'runtime/node.ts', text: "import { open } from '#storage/open.ts';" },
    { path: 'storage/open.ts', text: "import type { Port } from './port.ts';" },
    { path: 'storage/port.ts', text: '' },
    { path: 'storage/memory.ts', text: "import type { Port } from './port.ts';" },
  ];
  const found = (begins: RegExp) => checkServed(files, (path) => begins.test(path)).map(({ path }) => path);
  expect(found(/^runtime\/node/)).toEqual(['storage/memory.ts']);
  expect(found(/memory/)).toEqual(['runtime/node.ts']);
});
