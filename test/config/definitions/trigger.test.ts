/** Trigger definitions: what they may say, and what is wrong with file, line and column. Source: docs/contract/triggers.md §1. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { loadProduct } from '#config/definitions/load-product.ts';
import type { TriggerDefinition } from '#config/definitions/trigger-shapes.ts';
import { limits } from '#config/limits.ts';

const env = { HOOK: 'whsec', OTHER: 'other' };
const HOOK = 'webhook: { url: "https://example.org/x", secret: "${HOOK}" }\n';
const HEAD = 'entity: order\nevents: [created]\n';
let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'skep-trigger-'));
  write('product.yaml', 'name: atlas\nroles: { clerk: works, admin: not for triggers }\n');
  const fields = 'fields: { number: { type: string }, email: { type: string } }';
  write('entities/a.yaml', `entities:\n  order: { ${fields} }\n  soft: { ${fields}, traits: [soft_delete] }\n`);
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

function write(path: string, text: string): void {
  mkdirSync(dirname(join(dir, path)), { recursive: true });
  writeFileSync(join(dir, path), text);
}

function triggers(): readonly TriggerDefinition[] {
  const loaded = loadProduct(dir, { env });
  if ('problems' in loaded) throw new Error(JSON.stringify(loaded.problems));
  return loaded.product.triggers ?? [];
}

function problems(): string[] {
  const loaded = loadProduct(dir, { env });
  return 'problems' in loaded ? loaded.problems.map(({ line, column, message }) => `${line}:${column} ${message}`) : [];
}

describe('what it says', () => {
  test('a webhook, with the name of its file and the secret of the environment', () => {
    write(
      'triggers/paid.yaml',
      `entity: order\nevents: [created, updated]\nchanged: [number]\nwhen: row.number != ""\nfields: [number]\n${HOOK}`,
    );
    const when = { language: 'cel', rule: 'row.number != ""', where: expect.stringContaining('paid.yaml:4:1') };
    const target = { kind: 'webhook', url: 'https://example.org/x', secret: 'whsec', headers: {} };
    expect(triggers()).toMatchObject([
      {
        name: 'paid',
        entity: 'order',
        events: ['created', 'updated'],
        changed: ['number'],
        when,
        fields: ['number'],
        target,
      },
    ]);
    expect(triggers()[0]!.target).toMatchObject({ timeoutMs: limits.content.webhookTimeoutMs });
  });

  test('a secret of the vault stays a reference; a header may hold a variable, an address not', () => {
    const hook =
      'webhook: { url: "https://example.org/${OTHER}", secret: vault:hooks/a, timeout: 2s, headers: { X-A: "${OTHER}" } }\n';
    write('triggers/a.yaml', `${HEAD}${hook}`);
    const target = {
      url: 'https://example.org/${OTHER}',
      secret: { vault: 'hooks/a' },
      timeoutMs: 2000,
      headers: { 'X-A': 'other' },
    };
    expect(triggers()).toMatchObject([{ target }]);
  });

  test('a script in the file or beside it, and a mail', () => {
    write('triggers/a.yaml', `${HEAD}script: { role: clerk, source: ./a.js }\n`);
    write('triggers/a.js', 'return 1;');
    write(
      'triggers/b.yaml',
      `${HEAD}fields: [number]\nmail: { to: email, subject: "{{number}}", text: "{{event}} {{id}}" }\n`,
    );
    expect(triggers().map(({ target }) => target)).toMatchObject([
      { kind: 'script', role: 'clerk', source: 'return 1;', sourceAt: { line: 1, column: 1 } },
      { kind: 'mail', to: 'email', subject: '{{number}}', text: '{{event}} {{id}}', button: null, html: null },
    ]);
  });
});

describe('what is wrong', () => {
  test.each([
    ['no target', HEAD, 'the trigger does nothing'],
    ['two targets', `${HEAD}${HOOK}script: { role: clerk, source: "x" }\n`, 'the trigger does several things'],
    ['an unknown entity', `entity: ordr\nevents: [created]\n${HOOK}`, 'there is no entity "ordr"'],
    [
      'no event',
      `entity: order\nevents: []\n${HOOK}`,
      'events must be a list of created, updated, deleted, restored, not a list',
    ],
    ['an unknown field', `${HEAD}fields: [numbr]\n${HOOK}`, 'order has no field "numbr"'],
    ['changed without updates', `${HEAD}changed: [number]\n${HOOK}`, 'only updates change fields'],
    ['an unknown changed field', `entity: order\nevents: [updated]\nchanged: [x]\n${HOOK}`, 'order has no field "x"'],
    ['restored without a trait', `entity: order\nevents: [restored]\n${HOOK}`, 'rows of order are deleted for good'],
    [
      'a written secret',
      `${HEAD}webhook: { url: "https://example.org", secret: abc }\n`,
      'secret must come from the environment or the vault',
    ],
    [
      'no address',
      `${HEAD}webhook: { url: "ftp://example.org", secret: "\${HOOK}" }\n`,
      'url must be an http or https URL, not "ftp://example.org"',
    ],
    [
      'an undeclared role',
      `${HEAD}script: { role: boss, source: "x" }\n`,
      'the catalogue of the product has no role "boss"',
    ],
    [
      'a role of the platform',
      `${HEAD}script: { role: tenant_admin, source: "x" }\n`,
      'nothing runs as "tenant_admin"',
    ],
    ['the role admin, though declared', `${HEAD}script: { role: admin, source: "x" }\n`, 'nothing runs as "admin"'],
    ['superadmin', `${HEAD}script: { role: SuperAdmin, source: "x" }\n`, 'nothing runs as "SuperAdmin"'],
    ['internal', `${HEAD}script: { role: internal, source: "x" }\n`, 'nothing runs as "internal"'],
    ['a missing script', `${HEAD}script: { role: clerk, source: ./b.js }\n`, 'cannot read'],
    ['a mail to no field', `${HEAD}mail: { to: mail, subject: s, text: t }\n`, 'order has no field "mail"'],
    [
      'a mail that shows what is not sent',
      `${HEAD}mail: { to: email, subject: s, text: "{{number}}" }\n`,
      'a mail of this trigger has no {{number}}',
    ],
    [
      'a mail of a deleted row',
      `entity: soft\nevents: [deleted]\nmail: { to: email, subject: s, text: t }\n`,
      'a deleted row has no address any more',
    ],
    ['a key that is none', `${HEAD}${HOOK}until: x\n`, 'unknown key "until"'],
  ])('%s', (_what, text, message) => {
    write('triggers/a.yaml', text);
    const found = problems();
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(message);
    expect(found[0]).toMatch(/^\d+:\d+ /);
  });

  test('a name that is none, and more triggers than a product may have', () => {
    write('triggers/A b.yaml', `${HEAD}${HOOK}`);
    expect(problems()).toEqual(['0:0 "A b" is no name of a trigger']);
    rmSync(join(dir, 'triggers'), { recursive: true });
    for (let i = 0; i <= limits.triggers.declaredMax; i++) write(`triggers/t${i}.yaml`, `${HEAD}${HOOK}`);
    expect(problems()).toEqual([`0:0 more than ${limits.triggers.declaredMax} triggers`]);
  });

  test('a product whose roles cannot be read causes no second problem', () => {
    write('product.yaml', 'name: Atlas\n');
    write('triggers/a.yaml', `${HEAD}script: { role: clerk, source: "x" }\n`);
    expect(problems()).toHaveLength(1);
  });
});
