/** Triggers that times fire: what they may say, and what is wrong with file, line and column. Source: docs/contract/triggers.md §6. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { loadProduct } from '#config/definitions/load-product.ts';

const ON = 'on: { cron: "0  3 * * mon-fri", timezone: Europe/Berlin }\n';
const SCRIPT = 'script: { role: clerk, source: "return null;" }\n';
const ACTION = 'access: { language: cel, rule: "true" }\n';
let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'skep-cron-'));
  write('product.yaml', 'name: atlas\nroles: { clerk: works, admin: not for triggers }\n');
  write('entities/a.yaml', 'entities:\n  job: { fields: { status: { type: string } } }\n');
  const params = 'params: { status: { type: string, required: true }, most: { type: integer } }';
  const update = `update: { ${params}, sql: "update job set status = :status" }`;
  write('actions/close.yaml', `name: close\n${ACTION}sections: { ${update} }\n`);
  const sections = '{ read: { sql: "select id from job" }, delete: { sql: "delete from job" } }';
  write('actions/both.yaml', `name: both\n${ACTION}sections: ${sections}\n`);
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

function write(path: string, text: string): void {
  mkdirSync(dirname(join(dir, path)), { recursive: true });
  writeFileSync(join(dir, path), text);
}
function loaded(text: string) {
  write('triggers/nightly.yaml', text);
  return loadProduct(dir, { env: {} });
}

test('a script at times, by the clocks of a zone, and by UTC where none is named', () => {
  const found = loaded(`${ON}${SCRIPT}`);
  const where = expect.stringContaining('nightly.yaml:1:');
  const cron = { expression: '0 3 * * mon-fri', timezone: 'Europe/Berlin' };
  const target = { kind: 'script', role: 'clerk', source: 'return null;' };
  expect('product' in found && found.product.triggers).toMatchObject([{ name: 'nightly', cron, target, where }]);
  const plain = loaded(`on: { cron: "*/5 * * * *" }\n${SCRIPT}`);
  expect('product' in plain && plain.product.triggers).toMatchObject([{ cron: { timezone: 'UTC' } }]);
});

test('an action is called with its parameters and the verb of its section', () => {
  const sourceOf = (action: string): unknown => {
    const found = loaded(`${ON}action: ${action}\n`);
    return 'product' in found ? found.product.triggers![0]!.target : found.problems;
  };
  expect(sourceOf('{ role: clerk, name: close, params: { status: "a\\"b" } }')).toMatchObject({
    kind: 'script',
    role: 'clerk',
    action: 'close',
    source: String.raw`return action("close", {"status":"a\"b","_method":"PATCH"});`,
  });
  expect(sourceOf('{ role: clerk, name: both, section: delete }')).toMatchObject({
    source: 'return action("both", {"_method":"DELETE"});',
  });
});

test.each([
  ['no cron expression', `on: { cron: "0 3 * *" }\n${SCRIPT}`, '1:13 a cron expression has five fields, this one 4'],
  ['never due', `on: { cron: "0 3 31 2 *" }\n${SCRIPT}`, 'it is never due'],
  ['no zone', `on: { cron: "0 3 * * *", timezone: Mars }\n${SCRIPT}`, 'there is no time zone "Mars"'],
  ['nothing to do', ON, 'the trigger does nothing'],
  ['a script and an action', `${ON}${SCRIPT}action: { role: clerk, name: close }\n`, 'does several things'],
  ['an entity', `${ON}entity: job\n${SCRIPT}`, 'a trigger with `on` has no entity'],
  ['events', `${ON}events: [created]\n${SCRIPT}`, 'has no events'],
  ['a condition', `${ON}when: "true"\n${SCRIPT}`, 'has no when'],
  ['fields', `${ON}fields: [status]\n${SCRIPT}`, 'has no fields'],
  ['a mail', `${ON}mail: { to: status, subject: s, text: t }\n`, 'a time sends no mail'],
  ['neither entity nor times', SCRIPT, 'does not say when it fires'],
  [
    'an action of a row',
    'entity: job\nevents: [created]\naction: { role: clerk, name: both, section: read }\n',
    'call no action by its name',
  ],
  ['admin', `${ON}script: { role: admin, source: "1" }\n`, 'nothing runs as "admin"'],
  ['superadmin', `${ON}action: { role: superadmin, name: both, section: read }\n`, 'nothing runs as "superadmin"'],
  ['internal', `${ON}action: { role: internal, name: both, section: read }\n`, 'nothing runs as "internal"'],
  ['an undeclared role', `${ON}action: { role: boss, name: both, section: read }\n`, 'has no role "boss"'],
  ['an unknown action', `${ON}action: { role: clerk, name: clos }\n`, 'there is no action "clos"'],
  ['no section', `${ON}action: { role: clerk, name: both }\n`, 'has several sections'],
  ['another section', `${ON}action: { role: clerk, name: both, section: update }\n`, 'has no section "update"'],
  ['a missing parameter', `${ON}action: { role: clerk, name: close }\n`, 'needs status'],
  [
    'an unknown parameter',
    `${ON}action: { role: clerk, name: close, params: { status: a, x: 1 } }\n`,
    'no parameter "x"',
  ],
  [
    'a value of another type',
    `${ON}action: { role: clerk, name: close, params: { status: a, most: b } }\n`,
    'the value of most',
  ],
  ['a key that is none', `on: { cron: "0 3 * * *", every: day }\n${SCRIPT}`, 'unknown key "every"'],
])('refused: %s', (_what, text, message) => {
  const found = loaded(text);
  const problems = 'problems' in found ? found.problems.map((one) => `${one.line}:${one.column} ${one.message}`) : [];
  expect(problems).toHaveLength(1);
  expect(problems[0]).toContain(message);
  expect(problems[0]).toMatch(/^\d+:\d+ /);
});
