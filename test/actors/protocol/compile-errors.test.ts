/** What the types promise: a missing handler, a row that does not say which callers it takes, an undeclared status, an unknown refusal code and a body that is not its row's do not compile. */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ROOT } from '#runtime/place.ts';

const head = `
import { z } from 'zod';
import { defineRefusals, refuserOf } from '#actors/protocol/refusal.ts';
import { callers } from '#actors/protocol/callers.ts';
import { defineRoutes, reply, replyBytes, replyJson, replyText } from '#actors/protocol/route.ts';
import type { Outcome } from '#actors/protocol/route.ts';
import { renderedAs } from '#actors/protocol/body.ts';
import { bytesShape, textShape } from '#actors/protocol/shape.ts';
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
  read: { ...row, path: '/a/{id}', replies: { 200: z.object({ id: z.string(), state: z.enum(['on', 'off']), tags: z.array(z.string()).optional() }), 202: null }, refusals: ['gone'] },
  list: { ...row, path: '/a', replies: { 200: z.array(z.string()) }, refusals: ['full'] },
  note: { ...row, path: '/a/note', replies: { 200: textShape('text/plain'), 206: bytesShape('image/png') }, refusals: [] },
});
type All = Handlers<typeof routes>;
const list: All['list'] = () => refuse('full');
const note: All['note'] = () => replyText(200, '', 'text/plain; charset=utf-8');
const rest = { name: 'a', authenticate: () => null, unavailable: () => refuse('full'), activate: () => {} };
`;

/** Each case adds one line to the head; the wrong ones must fail in that line, with that error. */
const cases: Readonly<Record<string, readonly [line: string, error: string | null]>> = {
  sound: [
    "export const all: All = { list, note, read: () => (list === null ? reply(202) : refuse('gone', { status: 410 })) };",
    null,
  ],
  'sound-service': [
    'export const s = defineService({ ...rest, routes, handlers: { list, note, read: async (): Promise<Outcome<typeof routes.read>> => reply(202) } });',
    null,
  ],
  'missing-handler': ['export const all: All = { list, note };', 'TS2741'],
  'missing-handler-in-service': [
    'export const s = defineService({ ...rest, routes, handlers: { list, note } });',
    'TS2741',
  ],
  'handler-without-row': ['export const all: All = { list, note, read: () => reply(202), write: list };', 'TS2353'],
  'undeclared-status': ['export const all: All = { list, note, read: () => reply(201) };', 'TS2322'],
  'undeclared-status-async': ['export const all: All = { list, note, read: async () => reply(201) };', 'TS2322'],
  'status-of-another-route': ["export const read: All['list'] = () => reply(202);", 'TS2322'],
  'undeclared-refusal': ["export const all: All = { list, note, read: () => refuse('full') };", 'TS2322'],
  'deep-handler': ['export const read = refusing(routes.read, async () => reply(202));', null],
  'deep-handler-undeclared-status': ['export const read = refusing(routes.read, async () => reply(201));', 'TS2322'],
  'deep-handler-undeclared-refusal': [
    "export const read = refusing(routes.read, async () => refuse('full'));",
    'TS2322',
  ],
  'deep-handler-of-another-row': [
    'export const all: All = { list, note, read: refusing(routes.list, async () => reply(200, [])) };',
    'TS2322',
  ],
  'sound-body': ["export const read: All['read'] = () => reply(200, { id: '', state: 'on', tags: ['a'] });", null],
  'sound-text': ["export const note2: All['note'] = () => replyBytes(206, new Uint8Array(), 'image/png');", null],
  'sound-rendered': ["export const list2: All['list'] = () => replyJson(200, renderedAs<string[]>('[]'));", null],
  'body-with-another-type': ["export const read: All['read'] = () => reply(200, { id: 1, state: 'on' });", 'TS2322'],
  'body-with-another-value': ["export const read: All['read'] = () => reply(200, { id: '', state: 'up' });", 'TS2322'],
  'body-of-another-element': ["export const list2: All['list'] = () => reply(200, ['a', 1]);", 'TS2322'],
  'body-without-a-field': ["export const read: All['read'] = () => reply(200, { id: '' });", 'TS2741'],
  'body-with-a-further-field': [
    "export const read: All['read'] = () => reply(200, { id: '', state: 'on', more: 1 });",
    'TS2353',
  ],
  'body-with-a-further-field-async': [
    "export const read: All['read'] = async () => (list === null ? reply(202) : reply(200, { id: '', state: 'on', more: 1 }));",
    'TS2353',
  ],
  'body-from-elsewhere': [
    "const body = { id: '', state: 'up' }; export const read: All['read'] = () => reply(200, body);",
    'TS2345',
  ],
  'body-of-unknown': [
    "declare const body: unknown; export const read: All['read'] = () => reply(200, body);",
    'TS2345',
  ],
  'no-body': ["export const read: All['read'] = () => reply(200);", 'TS2554'],
  'body-where-the-row-has-none': ["export const read: All['read'] = () => reply(202, { id: '' });", 'TS2345'],
  'body-of-another-row': ["export const read: All['read'] = () => reply(200, ['a']);", 'TS2739'],
  'deep-handler-with-another-body': [
    "export const read = refusing(routes.read, async () => reply(200, { id: '', state: 'on', more: 1 }));",
    'TS2353',
  ],
  'text-that-renders-nothing-known': ["export const list2: All['list'] = () => replyJson(200, '[]');", 'TS2345'],
  'text-that-renders-another-body': [
    "export const list2: All['list'] = () => replyJson(200, renderedAs<number[]>('[]'));",
    'TS2322',
  ],
  'text-where-the-row-has-json': [
    "export const list2: All['list'] = () => replyText(200, '', 'text/plain');",
    'TS2345',
  ],
  'json-where-the-row-has-text': ["export const note2: All['note'] = () => reply(200, 'a');", 'TS2345'],
  'another-media-type': ["export const note2: All['note'] = () => replyText(200, '', 'text/html');", 'TS2345'],
  'reply-of-no-function': [
    "export const read: All['read'] = () => ({ kind: 'reply', status: 200, body: {} });",
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
}, 120_000);

afterAll(async () => {
  if (folder !== '') await rm(folder, { recursive: true });
  await rmdir(join(ROOT, '.skep')).catch(() => {}); // unless data of a node is there
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
