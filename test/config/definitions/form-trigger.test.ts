/** Triggers of submissions: what they may say, the row that one becomes, and what is wrong with file, line and column. Source: docs/contract/triggers.md §7.1. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { loadProduct } from '#config/definitions/load-product.ts';
import type { ScriptTarget } from '#config/definitions/trigger-shapes.ts';

const ON = 'on: { form: contact }\n';
const SCRIPT = 'script: { role: clerk, source: "return null;" }\n';
const row = (more: string): string => `row: { role: clerk, entity: ticket, ${more} }\n`;
let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'skep-form-trigger-'));
  write('product.yaml', 'name: desk\nroles: { clerk: files tickets, admin: not for triggers }\n');
  const fields =
    '{ subject: { type: string }, mail: { type: string }, channel: { type: string }, of: { type: string } }';
  write('entities/a.yaml', `entities:\n  ticket: { fields: ${fields} }\n`);
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

function write(path: string, text: string): void {
  mkdirSync(dirname(join(dir, path)), { recursive: true });
  writeFileSync(join(dir, path), text);
}
function loaded(text: string) {
  write('triggers/contact.yaml', text);
  return loadProduct(dir, { env: {} });
}
function targetOf(text: string): ScriptTarget {
  const found = loaded(text);
  if (!('product' in found)) throw new Error(found.problems.map(({ message }) => message).join('; '));
  return found.product.triggers![0]!.target as ScriptTarget;
}

/** Runs the script of a row as the sandbox would: what it creates. */
function created(source: string, fields: object): unknown[] {
  const rows: unknown[] = [];
  const db = { create: (entity: string, made: object) => void rows.push([entity, made]) };
  const request = { id: 'S1', data: { received_at: '2026-11-27T09:00:00.000Z', fields } };
  // oxlint-disable-next-line no-new-func, typescript/no-implied-eval -- the product's own source
  (new Function('request', 'db', source) as (request: object, db: object) => void)(request, db);
  return rows;
}

test('a script for the submissions of a form', () => {
  const found = loaded(`${ON}${SCRIPT}`);
  const where = expect.stringContaining('contact.yaml:1:');
  const target = { kind: 'script', role: 'clerk', source: 'return null;' };
  expect('product' in found && found.product.triggers).toMatchObject([
    { name: 'contact', form: 'contact', target, where },
  ]);
});

test('a row has the values of the form under the names of the entity, constants, and nothing that was not submitted', () => {
  const {
    role,
    source,
    row: made,
  } = targetOf(`${ON}${row('fields: { subject: title, mail: email, of: $id }, values: { channel: web }')}`);
  expect(role).toBe('clerk');
  expect(made).toEqual({ entity: 'ticket', fields: { subject: 'title', mail: 'email', of: '$id' } });
  expect(created(source, { title: 'No "sound"', email: 'ada@example.org', other: 1 })).toEqual([
    ['ticket', { channel: 'web', subject: 'No "sound"', mail: 'ada@example.org', of: 'S1' }],
  ]);
  expect(created(source, {})).toEqual([['ticket', { channel: 'web', of: 'S1' }]]);
});

test('a form field with the name of a member that every object has gives no value unless it was submitted', () => {
  const { source } = targetOf(`${ON}${row('fields: { subject: constructor, of: $received_at }')}`);
  expect(created(source, {})).toEqual([['ticket', { of: '2026-11-27T09:00:00.000Z' }]]);
  expect(created(source, { constructor: 'a' })).toEqual([['ticket', { subject: 'a', of: '2026-11-27T09:00:00.000Z' }]]);
});

test('one trigger is about a form: a second one is refused', () => {
  write('triggers/again.yaml', `${ON}${SCRIPT}`);
  const found = loaded(`${ON}${SCRIPT}`);
  const problems = 'problems' in found ? found.problems.map(({ message }) => message) : [];
  expect(problems).toEqual(['the trigger "again" is about the form "contact" already']);
});

test.each([
  ['no form', `on: { form: Contact }\n${SCRIPT}`, 'a form'],
  ['neither times nor a form', `on: {}\n${SCRIPT}`, 'neither times nor a form'],
  ['times and a form', `on: { form: contact, cron: "0 3 * * *" }\n${SCRIPT}`, 'names times and a form'],
  ['a zone and a form', `on: { form: contact, timezone: UTC }\n${SCRIPT}`, 'names times and a form'],
  ['nothing to do', ON, 'the trigger does nothing'],
  ['a script and a row', `${ON}${SCRIPT}${row('fields: { subject: a }')}`, 'does several things'],
  ['an entity', `${ON}entity: ticket\n${SCRIPT}`, 'has no entity'],
  ['a condition', `${ON}when: "true"\n${SCRIPT}`, 'has no when'],
  ['a mail', `${ON}mail: { to: mail, subject: s, text: t }\n`, 'a submission has no mail'],
  [
    'a row of no submission',
    `entity: ticket\nevents: [created]\n${row('fields: { subject: a }')}`,
    'only a submission',
  ],
  ['a row at times', `on: { cron: "0 3 * * *" }\n${row('fields: { subject: a }')}`, 'a time becomes no row'],
  ['admin', `${ON}row: { role: admin, entity: ticket, fields: { subject: a } }\n`, 'nothing runs as "admin"'],
  ['an undeclared role', `${ON}row: { role: boss, entity: ticket, fields: { subject: a } }\n`, 'has no role "boss"'],
  ['no entity', `${ON}row: { role: clerk, entity: tickt, fields: { subject: a } }\n`, 'there is no entity "tickt"'],
  ['a field that is none', `${ON}${row('fields: { subjct: a }')}`, 'ticket has no field "subjct"'],
  ['a constant that is none', `${ON}${row('fields: { subject: a }, values: { chanel: web }')}`, 'no field "chanel"'],
  ['a field twice', `${ON}${row('fields: { subject: a }, values: { subject: b }')}`, 'fields gives subject a value'],
  ['nothing of the submission', `${ON}${row('fields: {}')}`, 'nothing of the submission is kept'],
  ['an unknown variable', `${ON}${row('fields: { subject: $person }')}`, 'a field of the form'],
])('refused: %s', (_what, text, message) => {
  const found = loaded(text);
  const problems = 'problems' in found ? found.problems.map((one) => `${one.line}:${one.column} ${one.message}`) : [];
  expect(problems).toHaveLength(1);
  expect(problems[0]).toContain(message);
  expect(problems[0]).toMatch(/^\d+:\d+ /);
});
