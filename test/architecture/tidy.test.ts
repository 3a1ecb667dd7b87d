import { expect, test } from 'vitest';
import { projectFiles } from './project.ts';
import { SERVICES } from './skep-plan.ts';
import { checkFurniture, checkImports, checkOutboxes, checkScans, checkTidy, FURNITURE, LINES_MAX } from './tidy.ts';

const TEXT = /^(?!package-lock\.json).*\.(ts|mjs|json|md|yaml|sh)$|^\.ci\/run$|^runtime\/cli\/skep$/;

test('the project is tidy', () => {
  expect(projectFiles(TEXT).flatMap(checkTidy)).toEqual([]);
});

test('every service room has its furniture', () => {
  const paths = projectFiles(/^actors\//).map(({ path }) => path);
  expect(checkFurniture(paths, SERVICES)).toEqual([]);
});

const rules = (path: string, text: string) => checkTidy({ path, text }).map(({ rule }) => rule);
const machine = (name: string) => `see /${name}/x`;

test('caught: a file that is too long, but only code', () => {
  for (const floor of ['runtime', 'actors', 'storage', 'config', 'bench', 'test']) {
    expect(rules(`${floor}/a.ts`, '\n'.repeat(LINES_MAX + 1))).toEqual(['size']);
    expect(rules(`${floor}/a.ts`, '\n'.repeat(LINES_MAX))).toEqual([]);
  }
  expect(rules('docs/a.md', '\n'.repeat(LINES_MAX + 1))).toEqual([]);
});

test('caught: a path of a machine, in code, comments and documents', () => {
  for (const name of ['work', 'tmp', 'root', 'home']) {
    expect(rules('docs/a.md', machine(name))).toEqual(['machine']);
    expect(rules('actors/a.ts', `const a = '${machine(name)}';`)).toEqual(['machine']);
  }
  expect(rules('a.md', 'join(tmpdir(), "x") and ./work/x, the network/root/x and `${dir}/home/x`')).toEqual([]);
});

test('caught: a test that runs alone', () => {
  const alone = ['on', 'ly'].join('');
  expect(rules('test/a.test.ts', `test.${alone}('x', () => {});`)).toEqual(['only']);
  expect(rules('test/a.test.ts', `describe.each([]).${alone}; it.concurrent.${alone}('x')`)).toEqual(['only']);
  expect(rules('test/a.test.ts', `// test.${alone}('x')\nconst a = 'test.${alone}';`)).toEqual([]);
});

test('a module is imported by one line where one is long enough', () => {
  expect(projectFiles(/^(?!console\/|docs\/).*\.tsx?$/).flatMap(checkImports)).toEqual([]);
});

test('caught: a module that is imported by two lines, where one is long enough', () => {
  const found = (...lines: string[]) =>
    checkImports({ path: 'actors/a.ts', text: lines.join('\n') }).map(({ what }) => what);
  expect(found("import { a } from './b.ts';", "import type { B } from './b.ts';", 'a;')).toEqual([
    "import { a, type B } from './b.ts';",
  ]);
  expect(found("import type { A } from './b.ts';", "import type { B } from './b.ts';")).toEqual([
    "import type { A, B } from './b.ts';",
  ]);
  const long = 'a'.repeat(100);
  expect(found(`import { ${long} } from './b.ts';`, "import type { B } from './b.ts';")).toEqual([]);
  expect(found("import { a } from './b.ts';", 'const text = `', "import { c } from './b.ts';", '`;')).toEqual([]);
});

const PASSES = {
  'actors/engine/rows/walk.ts': 'each slice has a snapshot of its own, which it closes',
};

test('no scan is left open after one step', () => {
  expect(projectFiles(/^(actors|storage|runtime)\//).flatMap((file) => checkScans(file, PASSES))).toEqual([]);
});

test('caught: a scan that is left open after one step', () => {
  const found = (text: string) => checkScans({ path: 'actors/a.ts', text }).map(({ rule }) => rule);
  expect(found('if (scanMail(turn).next().done !== true) go();')).toEqual(['scan']);
  expect(found('const one = table.scan(reader, [of(a)], true).next();')).toEqual(['scan']);
  expect(found('const rows = reader.range(from, to);\nconst first = rows.next();')).toEqual(['scan']);
  expect(found('const rows = reader.range(from, to);\nrows.next();\nrows.return?.();')).toEqual([]);
  expect(found('kept.delete(kept.keys().next().value!); const id = ids.next();')).toEqual([]);
  expect(found('for (const row of scanRows(turn)) return row;')).toEqual([]);
});

const OUTBOX_STORES = [
  'actors/identity/user/store.ts',
  'actors/content/webhook/store.ts',
  'actors/data/trigger/store.ts',
  'actors/intake/delivery/store.ts',
  'actors/intake/embedded/store.ts', // intake's own database, without turns: actors/host/outbox/README.md
  'runtime/copies/host-copies.ts', // a move leaves the events behind that the audit log has
];
const OUTBOX_KINDS = [
  'actors/identity/user/mail-outbox.ts',
  'actors/content/webhook/hook-outbox.ts',
  'actors/data/trigger/outboxes.ts',
];

test('rows of outboxes are written by the outbox alone', () => {
  const files = projectFiles(/^(actors|runtime)\//);
  expect(files.flatMap((file) => checkOutboxes(file, OUTBOX_STORES, OUTBOX_KINDS))).toEqual([]);
});

test('caught: rows of an outbox that another file reads or writes', () => {
  const found = (path: string, text: string) =>
    checkOutboxes({ path, text }, OUTBOX_STORES, OUTBOX_KINDS).map(({ what }) => what);
  expect(found('actors/bff/a.ts', "const t = new Table('mail_outbox', TABLES.mail_outbox);")).toEqual([
    'TABLES.mail_outbox',
  ]);
  expect(found('runtime/a.ts', 'turn.del(key(TABLES.audit_settled.no));')).toEqual(['TABLES.audit_settled']);
  expect(found('actors/identity/user/login.ts', 'mailRows.table.del(turn, true, id);')).toEqual(['mailRows']);
  expect(found(OUTBOX_KINDS[0]!, 'return new Outbox({ ...mailRows });')).toEqual([]);
  expect(found('actors/host/outbox/a.ts', 'TABLES.audit_outbox')).toEqual([]);
});

test.each(FURNITURE)('caught: a service room without %s', (missing) => {
  const room = FURNITURE.filter((piece) => piece !== missing).map((piece) => `actors/data/${piece}`);
  expect(checkFurniture(room, SERVICES).map(({ path }) => path)).toEqual([`actors/data/${missing}`]);
});

test('a store in a sub-room is a store', () => {
  const room = FURNITURE.filter((piece) => piece !== 'store.ts').map((piece) => `actors/data/${piece}`);
  expect(checkFurniture([...room, 'actors/data/plan/store.ts'], SERVICES)).toEqual([]);
  expect(checkFurniture([...room, 'actors/intake/store.ts'], ['data'])).toHaveLength(1);
});
