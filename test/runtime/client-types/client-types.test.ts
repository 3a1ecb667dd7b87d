/** What `skep types` writes: of the help desk as it is committed, of every product of the tests without a fault of TypeScript. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { wantedModels } from '#actors/data/definition-faults.ts';
import { loadProduct } from '#config/definitions/load-product.ts';
import { filesOf } from '#runtime/cli/new-product.ts';
import { clientTypes } from '#runtime/client-types/client-types.ts';
import { ROOT } from '#runtime/place.ts';
import { strictErrors } from '#test/kit/strict-tsc.ts';

const DESK = `${ROOT}test/client/types/desk.ts`;
const dir = mkdtempSync(join(tmpdir(), 'skep-types-'));
afterAll(() => rmSync(dir, { recursive: true }));

const ENV = { SKEP_TEST_PREVIEW: 'x'.repeat(40), SKEP_TEST_TRIGGER: 'x'.repeat(40) };

function typesIn(checkout: string): string {
  const loaded = loadProduct(checkout, { env: ENV });
  if ('problems' in loaded) throw new Error(`${checkout}: ${JSON.stringify(loaded.problems)}`);
  return clientTypes(loaded.product, wantedModels(loaded.product, []));
}

function write(folder: string, files: Readonly<Record<string, string>>): string {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(dir, folder, dirname(path)), { recursive: true });
    writeFileSync(join(dir, folder, path), text);
  }
  return join(dir, folder);
}

test('the types of the help desk are those that the tests of the client use', async () => {
  const files = Object.fromEntries((await filesOf('help-desk', 'desk')).map(({ path, text }) => [path, text]));
  const checkout = join(write('desk', files), 'product');
  const text = typesIn(checkout);
  expect(text, `${DESK} is stale: skep types of the template help-desk writes it`).toBe(readFileSync(DESK, 'utf8'));
  expect(typesIn(checkout)).toBe(text);
});

test('the types of every product of the tests compile, and a client takes each', { timeout: 60_000 }, async () => {
  const products = `${ROOT}test/kit/products`;
  const names = readdirSync(products).filter((name) => existsSync(join(products, name, 'product.yaml')));
  const files = Object.fromEntries(names.map((name) => [`${name}.ts`, typesIn(join(products, name))]));
  const uses = names.map(
    (name) =>
      `import type { Schema as ${name} } from './${name}.ts';\nexport const of_${name} = createClient<${name}>(at);\n`,
  );
  const use = `import { createClient } from '@skep/client';\nconst at = { site: 'https://desk.example.org' } as const;\n${uses.join('')}`;
  expect(names.length).toBeGreaterThan(10);
  expect(await strictErrors({ ...files, 'use.ts': use })).toEqual([]);
});

const KINDS = `entities:
  maker:
    fields: { id: { type: string }, name: { type: string, required: true } }
  thing_of:
    fields:
      code: { type: string, required: true }
      price: { type: decimal }
      many: { type: integer, required: true, default: 1 }
      huge: { type: integer, max: 1.0e+18 }
      on: { type: boolean, nullable: false, default: true }
      kind: { type: enum, enum: [plain, "it's"] }
      meta: { type: json }
      picture: { type: file }
      phone: { type: string, mask: redact }
      wage: { type: number, roles: { read: [boss] } }
      maker_id: { type: ref, ref: { entity: maker }, required: true }
      hidden_id: { type: ref, ref: { entity: maker }, mask: redact }
      owner: { type: string, required: true, default_from: principal.subject }
      label: { type: string, computed: { language: cel, rule: "row.code" } }
    traits: [soft_delete, versioned]
    changes: true
`;

test('endpoints of the BFF by their paths, each with its verbs', () => {
  const files = {
    'product.yaml': 'name: kinds\noutbound: { hosts: [a.example] }\n',
    'entities/one.yaml': 'entities: { one: { fields: { name: { type: string } } } }\n',
  };
  const endpoint = (name: string, method: string, path: string): [string, string] => [
    `bff/${name}.yaml`,
    `name: ${name}\nmethod: ${method}\npath: ${path}\nauth: public\ncalls: { one: { url: "https://a.example/x" } }\n`,
  ];
  const bff = [
    endpoint('city', 'GET', '/city/{id}'),
    endpoint('start', 'GET', '/start'),
    endpoint('go', 'POST', '/start'),
  ];
  const text = typesIn(write('bff', { ...files, ...Object.fromEntries(bff) }));
  const lines = text.split('\n').map((line) => line.trim());
  expect(lines.slice(lines.indexOf('readonly bff: {') + 1).slice(0, 2)).toEqual([
    "readonly 'city/{id}': 'GET';",
    "readonly start: 'GET' | 'POST';",
  ]);
});

test('channels, each with whether it has keys and presence', () => {
  const channels = `channels:
  ticket: { entity: one, join: { users: true }, presence: true }
  lobby: { keyed: true, join: { users: true }, send: { users: true } }
  news: { join: { users: true }, presence: true }
`;
  const files = {
    'product.yaml': `name: kinds\n${channels}`,
    'entities/one.yaml': 'entities: { one: { fields: { name: { type: string } } } }\n',
  };
  const text = typesIn(write('channels', files)).replaceAll(/\s+/g, ' ');
  expect(text).toContain(
    'readonly channels: { readonly lobby: { readonly keyed: true; readonly presence: false; };' +
      ' readonly news: { readonly keyed: false; readonly presence: true; };' +
      ' readonly ticket: { readonly keyed: true; readonly presence: true; }; };',
  );
});

test('fields, relations and names', () => {
  const product = 'name: kinds\nroles: { boss: reads wages }\n';
  const text = typesIn(write('kinds', { 'product.yaml': product, 'entities/kinds.yaml': KINDS }));
  const lines = text.split('\n').map((line) => line.trim());
  const within = (name: string): string[] => {
    const from = lines.indexOf(`export interface ${name} {`);
    return lines.slice(from + 1, lines.indexOf('}', from));
  };
  expect(within('ThingOf')).toEqual([
    'readonly id: string;',
    'readonly code: string;',
    'readonly price: string | null;',
    'readonly many: number;',
    'readonly huge: number | string | null;',
    'readonly on: boolean;',
    "readonly kind: 'plain' | 'it\\'s' | null;",
    'readonly meta: unknown;',
    'readonly picture: { readonly name?: string; readonly content_type?: string; readonly size?: number; readonly sha256?: string } | null;',
    'readonly phone: string | null;',
    'readonly wage?: number | null;',
    'readonly maker_id: string;',
    'readonly hidden_id: string | null;',
    'readonly owner: string;',
    'readonly deleted_at: string | null;',
    'readonly deleted_by: string | null;',
    'readonly version: number;',
    'readonly label?: string | null;',
  ]);
  expect(within('ThingOfCreate')).toEqual([
    'readonly id?: string;',
    'readonly code: string;',
    'readonly price?: number | string | null;',
    'readonly many?: number | string;',
    'readonly huge?: number | string | null;',
    'readonly on?: boolean;',
    "readonly kind?: 'plain' | 'it\\'s' | null;",
    'readonly meta?: unknown;',
    'readonly phone?: string | null;',
    'readonly wage?: number | null;',
    'readonly maker_id: string;',
    'readonly hidden_id?: string | null;',
    'readonly owner?: string;',
  ]);
  expect(within('ThingOfUpdate')).not.toContain('readonly id?: string;');
  expect(within('MakerCreate')).toEqual(['readonly id: string;', 'readonly name: string;']);
  expect(lines).toContain("readonly maker: 'maker';");
  expect(text).not.toContain('readonly hidden:');
  expect(lines).toContain("readonly thing_of_by_maker: 'thing_of';");
  expect(text).not.toContain('thing_of_by_hidden');
  expect(lines.filter((line) => line.startsWith('readonly changes:'))).toEqual([
    'readonly changes: false;',
    'readonly changes: true;',
  ]);
});
