/** What the types promise: a missing handler, a row that does not say who may call it, an undeclared status and an unknown refusal code do not compile. */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ROOT } from './project.ts';

const head = `
import { z } from 'zod';
import { defineRefusals, refuserOf } from '#actors/protocol/refusal.ts';
import { callers } from '#actors/protocol/callers.ts';
import { defineRoutes, reply } from '#actors/protocol/route.ts';
import { defineService } from '#actors/host/service.ts';
import type { Handlers } from '#actors/host/service.ts';
import { refusing } from '#actors/content/refused.ts';
import { HOOK, MAIL } from '#runtime/relays/kinds.ts';
const refusals = defineRefusals({
  gone: { statuses: [404, 410], family: 'coded', cause: 'gone' },
  full: { statuses: [503], family: 'bare', cause: 'full' },
});
const refuse = refuserOf(refusals);
const row = { methods: ['GET'], position: 'door', callers: callers({ users: [{}] }), body: 'none', ack: 'fsync', summary: '' } as const;
const routes = defineRoutes<typeof refusals>()({
  read: { ...row, path: '/a/{id}', replies: { 200: z.object({}), 202: null }, refusals: ['gone'] },
  list: { ...row, path: '/a', replies: { 200: z.array(z.string()) }, refusals: ['full'] },
});
type All = Handlers<typeof routes>;
const list: All['list'] = () => refuse('full');
const rest = { name: 'a', authenticate: () => null, unavailable: () => refuse('full'), activate: () => {} };
`;

/** Each case adds one line to the head; the wrong ones must fail in that line, with that error. */
const cases: Readonly<Record<string, readonly [line: string, error: string | null]>> = {
  sound: [
    "export const all: All = { list, read: () => (list === null ? reply(202) : refuse('gone', { status: 410 })) };",
    null,
  ],
  'sound-service': [
    'export const s = defineService({ ...rest, routes, handlers: { list, read: async () => reply(200, {}) } });',
    null,
  ],
  'missing-handler': ['export const all: All = { list };', 'TS2741'],
  'missing-handler-in-service': ['export const s = defineService({ ...rest, routes, handlers: { list } });', 'TS2741'],
  'handler-without-row': ['export const all: All = { list, read: () => reply(200), write: list };', 'TS2353'],
  'undeclared-status': ['export const all: All = { list, read: () => reply(201) };', 'TS2322'],
  'undeclared-status-async': ['export const all: All = { list, read: async () => reply(201) };', 'TS2322'],
  'status-of-another-route': ["export const read: All['list'] = () => reply(202);", 'TS2322'],
  'undeclared-refusal': ["export const all: All = { list, read: () => refuse('full') };", 'TS2322'],
  'deep-handler': ['export const read = refusing(routes.read, async () => reply(202));', null],
  'deep-handler-undeclared-status': ['export const read = refusing(routes.read, async () => reply(201));', 'TS2322'],
  'deep-handler-undeclared-refusal': [
    "export const read = refusing(routes.read, async () => refuse('full'));",
    'TS2322',
  ],
  'deep-handler-of-another-row': [
    'export const all: All = { list, read: refusing(routes.list, async () => reply(200)) };',
    'TS2322',
  ],
  'outbox-answer-that-is-none': ['export const kind: typeof HOOK = { ...HOOK, take: async () => null };', 'TS2322'],
  'relay-of-another-kind': ['export const kind: typeof HOOK = { ...HOOK, take: MAIL.take };', 'TS2322'],
  'unknown-code': ["export const gone = refuse('lost');", 'TS2345'],
  'status-of-no-row': ["export const gone = refuse('gone', { status: 409 });", 'TS2322'],
  'row-without-callers': [
    "const { callers: _, ...open } = row; export const more = defineRoutes<typeof refusals>()({ a: { ...open, path: '/b', replies: {}, refusals: [] } });",
    'TS2322',
  ],
  'callers-that-are-none': [
    "export const more = defineRoutes<typeof refusals>()({ a: { ...row, callers: { auth: 'none' }, path: '/b', replies: {}, refusals: [] } });",
    'TS2740',
  ],
  'unknown-place': ["export const c = callers({ users: [{ from: 'everywhere' }] });", 'TS2322'],
  'unknown-code-in-a-row': [
    "export const more = defineRoutes<typeof refusals>()({ a: { ...row, path: '/b', replies: {}, refusals: ['lost'] } });",
    'TS2322',
  ],
};

let folder = '';
const errors = new Map<string, { line: number; code: string }[]>();

/** One compiler run over all cases, in a folder of the project, so that the project's own settings and imports hold. */
beforeAll(async () => {
  const base = join(ROOT, '.skep');
  await mkdir(base, { recursive: true });
  folder = await mkdtemp(join(base, 'types-'));
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ extends: '../../tsconfig.json', include: ['*.ts'] }));
  for (const [name, [line]] of Object.entries(cases)) await writeFile(join(folder, `${name}.ts`), `${head}${line}\n`);
  for (const [, name, line, code] of (await compile(folder)).matchAll(
    /^(?:.*\/)?([\w-]+)\.ts\((\d+),\d+\): error (TS\d+)/gm,
  ))
    errors.set(name!, [...(errors.get(name!) ?? []), { line: Number(line), code: code! }]);
});

afterAll(async () => {
  if (folder !== '') await rm(folder, { recursive: true });
  await rmdir(join(ROOT, '.skep')).catch(() => {}); // unless somebody's data is there
});

function compile(project: string): Promise<string> {
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  return new Promise((resolve) => {
    execFile(process.execPath, [tsc, '--pretty', 'false', '-p', project], (_error, stdout, stderr) => {
      resolve(stdout + stderr);
    });
  });
}

const lastLine = head.split('\n').length;

test.each(Object.entries(cases))('%s', (name, [, error]) => {
  // `row` and `rest` are not used by every case: those complaints stand in the head.
  const found = (errors.get(name) ?? []).filter(({ line }) => line >= lastLine);
  expect(found.map(({ code }) => code)).toEqual(error === null ? [] : [error]);
});

test('the head itself compiles but for what a case does not use', () => {
  const unused = new Set(['TS6133', 'TS6192', 'TS6196']);
  const inHead = [...errors.values()].flat().filter(({ line }) => line < lastLine);
  expect(inHead.filter(({ code }) => !unused.has(code))).toEqual([]);
});
