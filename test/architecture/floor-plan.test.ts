import { expect, test } from 'vitest';
import { checkFloorPlan } from './floor-plan.ts';
import type { SourceFile } from './source.ts';
import { skepPlan } from './skep-plan.ts';
import { projectFiles } from './project.ts';

const CODE = /^(client|config|storage|actors|runtime|bench|test)\/.*\.(ts|mjs)$/;

test('the building stands: no violation in the project', () => {
  const files = projectFiles(CODE);
  expect(files.length).toBeGreaterThan(30);
  // Until the node's main file joins the rooms, only their tests import them.
  const isJoined = files.some(({ path }) => path === 'runtime/node.ts');
  const found = checkFloorPlan(files, skepPlan).filter(({ rule }) => isJoined || rule !== 'orphan');
  expect(found).toEqual([]);
});

/** A small sound building: every planted violation is added to it. */
const sound: Readonly<Record<string, string>> = {
  'client/wait.ts': 'export const wait = 1;',
  'client/index.ts': "export { wait } from './wait.ts';",
  'client/react/live.ts': "import { useState } from 'react';\nexport { wait } from '../wait.ts';\nexport { useState };",
  'client/react/index.ts': "import '@tanstack/react-query';\nexport * from './live.ts';",
  'config/values/id.ts': "import { hash } from 'node:crypto';\nexport const id = hash;",
  'config/limits.ts': "import { id } from './values/id.ts';\nexport const limits = { a: id };",
  'storage/port.ts': "import { limits } from '#config/limits.ts';\nexport type Port = typeof limits;",
  'storage/environment.ts':
    "import { open } from 'lmdb';\nimport type { Port } from './port.ts';\nexport const port: Port = open();",
  'storage/journal/append.ts': "import { port } from '../environment.ts';\nexport const append = port;",
  'actors/kit/clock.ts': 'export const now = () => 0;',
  'actors/engine/rows/read.ts': 'export const read = 1;',
  'actors/data/service.ts': "import { read } from '#actors/engine/rows/read.ts';\nexport const service = read;",
  'actors/host/host.ts': 'export const host = 1;',
  'actors/identity/store.ts': "import { append } from '#storage/journal/append.ts';\nexport const store = append;",
  'actors/identity/routes.ts': "import { now } from '#actors/kit/clock.ts';\nexport const routes = now;",
  'actors/identity/verb/issue.ts': "import { store } from '../store.ts';\nexport const issue = store;",
  'runtime/door/uws.ts':
    "import * as uWS from 'uWebSockets.js';\nimport { routes } from '#actors/identity/routes.ts';\nexport const door = [uWS, routes];",
  'runtime/node.ts':
    "import { door } from './door/uws.ts';\nexport const start = () => [door, new URL('./threads/host.worker.ts', import.meta.url)];",
  'runtime/threads/host.worker.ts':
    "import { host } from '#actors/host/host.ts';\nimport { service } from '#actors/data/service.ts';\nimport { issue } from '#actors/identity/verb/issue.ts';\nissue(host, service);",
  'bench/run.ts': "import { start } from '#runtime/node.ts';\nstart();",
  'test/actors/identity/issue.test.ts':
    "import { issue } from '#actors/identity/verb/issue.ts';\nimport { help } from './help.ts';\nhelp(issue);",
  'test/actors/identity/help.ts': "import type { Port } from '#storage/port.ts';\nexport const help = (x: Port) => x;",
};

function violations(changes: Readonly<Record<string, string>>): string[] {
  const files: SourceFile[] = Object.entries({ ...sound, ...changes }).map(([path, text]) => ({ path, text }));
  return [...new Set(checkFloorPlan(files, skepPlan).map(({ rule, path }) => `${rule} ${path}`))];
}

/** Adds a line to a file of the sound building. */
const add = (path: string, line: string) => ({ [path]: `${line}\n${sound[path] ?? 'export const planted = 1;'}` });

test('the small building is sound', () => {
  expect(violations({})).toEqual([]);
});

const planted: readonly (readonly [
  name: string,
  changes: Readonly<Record<string, string>>,
  expected: readonly string[],
])[] = [
  [
    'config imports storage',
    add('config/limits.ts', "import type { Port } from '#storage/port.ts';"),
    ['floors config/limits.ts', 'cycle config/limits.ts'],
  ],
  [
    'the client imports a floor',
    add('client/wait.ts', "import type { limits } from '#config/limits.ts';"),
    ['apart client/wait.ts'],
  ],
  ['the client imports a package', add('client/wait.ts', "import { z } from 'zod';"), ['apart client/wait.ts']],
  [
    'the client imports a module of Node',
    add('client/wait.ts', "import { hash } from 'node:crypto';"),
    ['apart client/wait.ts'],
  ],
  ['the client imports React', add('client/wait.ts', "import { use } from 'react';"), ['apart client/wait.ts']],
  [
    'the hooks import another package than theirs',
    add('client/react/live.ts', "import { z } from 'zod';"),
    ['apart client/react/live.ts'],
  ],
  [
    'the client imports its hooks',
    add('client/index.ts', "import type { wait as live } from './react/live.ts';"),
    ['apart client/index.ts'],
  ],
  [
    'a floor imports the client',
    add('config/limits.ts', "import { wait } from '#client/wait.ts';"),
    ['floors config/limits.ts'],
  ],
  [
    'the room at the bottom imports its own floor',
    add('config/values/id.ts', "import type { limits } from '#config/limits.ts';"),
    ['bottom config/values/id.ts', 'cycle config/values/id.ts'],
  ],
  [
    'the room at the bottom imports a package',
    add('config/values/id.ts', "import { z } from 'zod';"),
    ['bottom config/values/id.ts'],
  ],
  [
    'the room at the bottom imports a higher floor',
    add('config/values/id.ts', "import { port } from '#storage/environment.ts';"),
    ['floors config/values/id.ts', 'bottom config/values/id.ts', 'cycle config/values/id.ts'],
  ],
  [
    'storage imports actors',
    add('storage/port.ts', "import { now } from '#actors/kit/clock.ts';"),
    ['floors storage/port.ts'],
  ],
  [
    'actors import runtime',
    add('actors/kit/clock.ts', "export { start } from '#runtime/node.ts';"),
    ['floors actors/kit/clock.ts', 'cycle actors/kit/clock.ts'],
  ],
  [
    'a floor imports a test',
    add('runtime/node.ts', "import '#test/actors/identity/help.ts';"),
    ['floors runtime/node.ts'],
  ],
  [
    'a floor imports a bench lazily',
    add('runtime/node.ts', "const b = await import('#bench/run.ts');"),
    ['floors runtime/node.ts', 'cycle runtime/node.ts'],
  ],
  [
    'a service imports another',
    add('actors/identity/verb/issue.ts', "import { routes } from '#actors/data/routes.ts';"),
    ['rooms actors/identity/verb/issue.ts'],
  ],
  [
    'a service imports a room that is not shared',
    add('actors/identity/store.ts', "import { gate } from '#actors/rates/gate.ts';"),
    ['rooms actors/identity/store.ts'],
  ],
  [
    'the kit knows a service',
    add('actors/kit/clock.ts', "import type { store } from '#actors/identity/store.ts';"),
    ['rooms actors/kit/clock.ts'],
  ],
  [
    'the engine knows a service',
    add('actors/engine/rows/read.ts', "import type { store } from '#actors/identity/store.ts';"),
    ['rooms actors/engine/rows/read.ts'],
  ],
  [
    'the engine knows the host',
    add('actors/engine/rows/read.ts', "import type { Host } from '#actors/host/host.ts';"),
    ['rooms actors/engine/rows/read.ts'],
  ],
  [
    'the kit knows the host',
    add('actors/kit/clock.ts', "import type { Host } from '#actors/host/host.ts';"),
    ['rooms actors/kit/clock.ts'],
  ],
  [
    'the kit knows the engine',
    add('actors/kit/clock.ts', "import type { Engine } from '#actors/engine/rows/read.ts';"),
    ['rooms actors/kit/clock.ts', 'reserved actors/kit/clock.ts'],
  ],
  [
    'the host knows the engine',
    add('actors/host/host.ts', "import type { Engine } from '#actors/engine/rows/read.ts';"),
    ['rooms actors/host/host.ts', 'reserved actors/host/host.ts'],
  ],
  [
    'a service that is not the data service imports the engine',
    add('actors/identity/store.ts', "import { read } from '#actors/engine/rows/read.ts';"),
    ['reserved actors/identity/store.ts'],
  ],
  [
    'the door imports the engine',
    add('runtime/door/uws.ts', "import { read } from '#actors/engine/rows/read.ts';"),
    ['reserved runtime/door/uws.ts'],
  ],
  [
    'HTTP in the engine',
    add('actors/engine/rows/read.ts', "import { request } from 'node:http';"),
    ['without actors/engine/rows/read.ts'],
  ],
  [
    'a thread in the engine',
    add('actors/engine/rows/read.ts', "import { Worker } from 'node:worker_threads';"),
    ['without actors/engine/rows/read.ts'],
  ],
  [
    'a route in the engine',
    add('actors/engine/rows/read.ts', "import type { Reply } from '#actors/protocol/route.ts';"),
    ['without actors/engine/rows/read.ts'],
  ],
  [
    'the engine touches storage outside a store',
    add('actors/engine/rows/read.ts', "import type { Port } from '#storage/port.ts';"),
    ['storage actors/engine/rows/read.ts'],
  ],
  [
    'the door imports a handler',
    add('runtime/door/uws.ts', "import { issue } from '#actors/identity/verb/issue.ts';"),
    ['door runtime/door/uws.ts'],
  ],
  [
    'a verb touches storage',
    add('actors/identity/verb/issue.ts', "import type { Port } from '#storage/port.ts';"),
    ['storage actors/identity/verb/issue.ts'],
  ],
  [
    'a kit file touches storage',
    add('actors/kit/clock.ts', "import type { Port } from '#storage/port.ts';"),
    ['storage actors/kit/clock.ts'],
  ],
  [
    '# inside a room',
    add('actors/identity/verb/issue.ts', "import { store as s } from '#actors/identity/store.ts';"),
    ['spelling actors/identity/verb/issue.ts'],
  ],
  [
    '../ across rooms',
    add('actors/identity/store.ts', "import { now } from '../kit/clock.ts';"),
    ['spelling actors/identity/store.ts'],
  ],
  [
    '../ across test rooms',
    add('test/actors/identity/help.ts', "import { now } from '../../../actors/kit/clock.ts';"),
    ['spelling test/actors/identity/help.ts'],
  ],
  [
    'uWebSockets.js elsewhere',
    add('runtime/node.ts', "import { App } from 'uWebSockets.js';"),
    ['package runtime/node.ts'],
  ],
  [
    'lmdb elsewhere',
    add('storage/journal/append.ts', "import { open } from 'lmdb';"),
    ['package storage/journal/append.ts'],
  ],
  ['a default export', add('actors/kit/clock.ts', 'export default function () {}'), ['default actors/kit/clock.ts']],
  [
    'a default export by name',
    add('actors/kit/clock.ts', 'const d = 1; export { d as default };'),
    ['default actors/kit/clock.ts'],
  ],
  [
    'the wall clock in a service',
    add('actors/identity/store.ts', 'const t = Date.now();'),
    ['ambient actors/identity/store.ts'],
  ],
  [
    'chance in a service',
    add('actors/identity/store.ts', 'const t = Math.random();'),
    ['ambient actors/identity/store.ts'],
  ],
  [
    'the wall clock in the engine',
    add('actors/engine/rows/read.ts', 'const t = Date.now();'),
    ['ambient actors/engine/rows/read.ts'],
  ],
  [
    'chance in the engine',
    add('actors/engine/rows/read.ts', 'const t = Math.random();'),
    ['ambient actors/engine/rows/read.ts'],
  ],
  ['a file that no other imports', { 'actors/kit/lost.ts': 'export const lost = 1;' }, ['orphan actors/kit/lost.ts']],
  [
    'a file that only itself imports',
    { 'actors/kit/lost.ts': "export * from './lost.ts';" },
    ['orphan actors/kit/lost.ts', 'cycle actors/kit/lost.ts'],
  ],
  [
    'a file that only a test imports',
    {
      'actors/kit/lost.ts': 'export const lost = 1;',
      ...add('test/actors/identity/help.ts', "import { lost } from '#actors/kit/lost.ts';"),
    },
    ['orphan actors/kit/lost.ts'],
  ],
  [
    'a test helper without a test',
    { 'test/actors/identity/alone.ts': 'export const alone = 1;' },
    ['orphan test/actors/identity/alone.ts'],
  ],
  [
    'a cycle of three',
    {
      'actors/kit/a.ts': "import './b.ts';",
      'actors/kit/b.ts': "import type { c } from './c.ts';",
      'actors/kit/c.ts': "export * from './a.ts';",
    },
    ['cycle actors/kit/a.ts'],
  ],
];

test.each(planted)('caught: %s', (_name, changes, expected) => {
  expect(violations(changes)).toEqual(expected);
});

const blind = [
  ['a line comment', "// import { x } from '#runtime/node.ts';"],
  ['a block comment', "/* import { x } from '#runtime/node.ts'; */"],
  ['a template', "const t = `\nimport { x } from '#runtime/node.ts';\n${'`'} ${`import '#runtime/node.ts'`}`;"],
  ['a string', 'const t = "import \'#runtime/node.ts\'";'],
  [
    'a string after a regular expression',
    "const t = /['\"`/*]/.test('`'); const u = 1 / 2; const v = \"import '#runtime/node.ts'\";",
  ],
] as const;

test.each(blind)('%s is no import', (_name, line) => {
  expect(violations(add('actors/kit/clock.ts', line))).toEqual([]);
});

const forms = [
  "import {\n  now,\n  type Other,\n} from '#runtime/node.ts';",
  "import whole, { now } from '#runtime/node.ts';",
  'import * as all from "#runtime/node.ts";',
  "export * as all from '#runtime/node.ts';",
  "export type { X } from '#runtime/node.ts';",
  "import '#runtime/node.ts';",
  "const a = /\\/\\*/; import '#runtime/node.ts';",
  "type X = import('#runtime/node.ts').X;",
  "const url = new URL('../../runtime/node.ts', import.meta.url);",
  "spawn(process.execPath, [join(import.meta.dirname, '../../runtime/node.ts')]);",
] as const;

test.each(forms)('seen: %j', (line) => {
  expect(violations(add('actors/kit/clock.ts', line))).toContain('floors actors/kit/clock.ts');
});
