import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { archiveCheckout } from '#runtime/checkout-files.ts';
import { LOADING, Revisions } from '#runtime/revisions.ts';
import { takeArchive } from '#runtime/take-archive.ts';
import { ownFolder } from '#test/kit/demo-process.ts';
import { tarGzOf } from '#test/kit/tar.ts';

const META = { type: 'meta' } as const;
const PRODUCT = 'name: shop\n';
const reading = (name: string): string => `${PRODUCT}roles: { writer: "\${${name}}" }\n`;

function folderOf(files: Readonly<Record<string, string>>): string {
  const folder = ownFolder();
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

const ITEM = 'entities: { item: { fields: { name: { type: string } } } }\n';
const env = { OWN: 'own', OTHER: 'the secret of another' };

test('a sound archive is kept as its checkout would be, and nothing lies beside it', async () => {
  const dataDir = ownFolder();
  const localdir = folderOf({ 'product.yaml': PRODUCT });
  const files = { 'product.yaml': PRODUCT, 'entities/item.yaml': ITEM, 'README.md': 'not a definition' };
  const archive = tarGzOf(Object.entries(files).map(([path, text]) => ({ path: `shop/${path}`, text })));
  const taken = await takeArchive({ archive, localdir, env, content: META, dataDir });
  expect(taken).toEqual({ revision: expect.stringMatching(/^[0-9a-f]{64}$/) as string, name: 'shop', files: 3 });
  const { revision } = taken as { revision: string };
  expect(await new Revisions(dataDir).read(revision)).toEqual(archiveCheckout(folderOf(files), META));
  expect(readdirSync(join(dataDir, LOADING))).toEqual([]);
});

test('what is refused names its place in the folder, and leaves nothing', async () => {
  const dataDir = ownFolder();
  const localdir = folderOf({ 'product.yaml': PRODUCT });
  const take = (files: Readonly<Record<string, string>>) =>
    takeArchive({
      archive: tarGzOf(Object.entries(files).map(([path, text]) => ({ path, text }))),
      localdir,
      env,
      content: META,
      dataDir,
    });
  const wrong = await take({ 'product.yaml': PRODUCT, 'entities/item.yaml': ITEM.replace('string', 'strnig') });
  expect(wrong).toEqual({
    problems: expect.stringMatching(/^entities\/item\.yaml:1:\d+: type must be one of/) as string,
  });
  expect(JSON.stringify(wrong)).not.toContain(dataDir);
  expect(await take({ 'product.yaml': PRODUCT, '../x': '' })).toEqual({
    problems: expect.stringContaining('leads elsewhere') as string,
  });
  expect(readdirSync(join(dataDir, LOADING))).toEqual([]);
  expect(readdirSync(dataDir)).toEqual([LOADING]);
});

test('a variable is read where the checkout of the node reads it, and nowhere else', async () => {
  const dataDir = ownFolder();
  const take = (name: string, localdir: string) =>
    takeArchive({
      archive: tarGzOf([{ path: 'product.yaml', text: reading(name) }]),
      localdir,
      env,
      content: META,
      dataDir,
    });
  const own = folderOf({ 'product.yaml': reading('OWN') });
  expect(await take('OWN', own)).toMatchObject({ name: 'shop' });
  for (const localdir of [own, folderOf({ 'product.yaml': PRODUCT }), join(own, 'nowhere')]) {
    const refused = await take('OTHER', localdir);
    expect(refused).toEqual({ problems: expect.stringContaining('${OTHER}: a deployed product may read') as string });
    expect(JSON.stringify(refused)).not.toContain('the secret');
  }
});
