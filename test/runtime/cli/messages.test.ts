/** Messages for wrong usage: what, where, how to mend it; no stack; exit code 2, or 1 where the cause is the environment. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { TENANT, writePlatformFile } from '#test/kit/platform-file.ts';
import { lockDirectory } from '#storage/lock.ts';
import { fileOf, skep } from './recorder.ts';

const usage: readonly (readonly [line: string, told: string])[] = [
  ['dmo', 'skep: unknown command "dmo"\n    did you mean "demo"?\n'],
  ['--bogus', "error: unknown option '--bogus'\n    skep --help shows its verbs and options\n"],
  ['tenant provision', "required option '-f, --file <file>' not specified\n    skep tenant provision --help"],
  ['-f nowhere.yaml', 'nowhere.yaml: cannot read the file: there is no such file\n    check the path'],
  ['storage check nowhere', 'skep: nowhere holds no store\n    name a data directory'],
  ['storage dump nowhere', 'skep: nowhere holds no store\n    name a data directory'],
];

test.each(usage)('%s', async (line, told) => {
  const { code, out, err } = await skep(line);
  expect(err).toContain(told);
  expect(err).not.toContain('    at ');
  expect({ code, out }).toEqual({ code: 2, out: '' });
});

test('a file that is no YAML, and unknown keys', async () => {
  const broken = fileOf('hives:\n  tenant: [\nfoo');
  expect(await skep(`-f ${broken}`)).toMatchObject({
    code: 2,
    err: expect.stringContaining(`${broken}:3:1: not YAML`),
  });
  const odd = fileOf('storag: {dir: x}\n');
  const told = `${odd}:1:1: unknown key "storag"\n    did you mean "storage"?\n`;
  expect(await skep(`-f ${odd}`)).toMatchObject({ code: 2, err: expect.stringContaining(told) });
});

function ownFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'skep-cli-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

test('provisioning a tenant that the file does not name, or whose product does not load', async () => {
  const file = writePlatformFile(ownFolder());
  const typo = `${TENANT.slice(0, -1)}x`;
  const unknown = await skep(`tenant provision -f ${file} --tenant ${typo}`);
  expect(unknown).toMatchObject({ code: 2, err: expect.stringContaining(`no tenant ${typo}\n    did you mean`) });
  const folder = ownFolder();
  const product = join(folder, 'p', 'entities', 'thing.yaml');
  mkdirSync(dirname(product), { recursive: true });
  writeFileSync(join(folder, 'p', 'product.yaml'), 'name: atlas\n');
  writeFileSync(product, 'entities:\n  thing:\n    fields:\n      a: { type: integr }\n');
  const platform = join(folder, 'platform.yaml');
  writeFileSync(platform, 'hives: { tenant: [{ key: "acme:atlas:dev:main", meta: { localdir: ./p } }] }\n');
  const faulty = await skep(`tenant provision -f ${platform} --tenant acme:atlas:dev:main`);
  expect(faulty).toMatchObject({ code: 2, err: expect.stringContaining(`${product}:4:18: type must be one of`) });
});

test('a store that a node has open is not looked into', async () => {
  const dir = ownFolder();
  mkdirSync(join(dir, 'shards'));
  const lock = await lockDirectory(dir);
  onTestFinished(() => lock.release());
  const { code, err } = await skep(`storage check ${dir}`);
  expect({ code, err }).toEqual({
    code: 1,
    err: `skep: ${dir} is in use by another skep (process ${process.pid}): stop it, or name another directory\n`,
  });
});

test('a data directory that cannot be one', async () => {
  const file = writePlatformFile(ownFolder());
  const inTheWay = fileOf('');
  const { code, err } = await skep(`-f ${file}`, { SKEP_DATA: inTheWay });
  expect(code).toBe(1);
  expect(err).toContain(`${inTheWay} cannot be the data directory: a file is in its way\n    name another one`);
});
