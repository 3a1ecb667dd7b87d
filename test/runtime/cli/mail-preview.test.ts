/** `skep mail preview`: what it prints and writes, and what it refuses. */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { mailKinds } from '#config/definitions/mail-kinds.ts';
import { skep } from './recorder.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'skep-preview-'));
  mkdirSync(join(dir, 'shop/mails'), { recursive: true });
  writeFileSync(join(dir, 'shop/product.yaml'), 'name: shop\nmails: { language: de }\n');
  writeFileSync(join(dir, 'shop/mails/reset.de.yaml'), 'subject: Für {{name}}\ntext: "{{link}}"\n');
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

test('one mail as text, HTML and JSON, in the language asked for or the product’s', async () => {
  const text = await skep(`mail preview ${dir}/shop reset --language en`);
  expect(text).toMatchObject({ code: 0, err: '' });
  expect(text.out).toBe('reset (de)\nSubject: Für Ada Lovelace\n\nhttps://example.org/open?token=TOKEN');
  expect((await skep(`mail preview ${dir}/shop reset -o html`)).out).toMatch(/^<!doctype html>[\s\S]*lang="de"/);
  const json = JSON.parse((await skep(`mail preview ${dir}/shop -o json`)).out) as { kind: string }[];
  expect(json.map(({ kind }) => kind)).toEqual(mailKinds);
});

test('all of them into a directory', async () => {
  const { code, out } = await skep(`mail preview ${dir}/shop --to ${dir}/out`);
  expect(code).toBe(0);
  expect(readdirSync(join(dir, 'out')).length).toBe(2 * mailKinds.length);
  expect(out).toContain(`${dir}/out/reset.de.html\n`);
  expect(readFileSync(join(dir, 'out/reset.de.txt'), 'utf8')).toContain('Subject: Für Ada');
});

test('a product whose other parts name secrets of the environment', async () => {
  const demo = fileURLToPath(new URL('../../../config/samples/demo/atlas', import.meta.url));
  cpSync(demo, join(dir, 'atlas'), { recursive: true });
  expect(await skep(`mail preview ${dir}/atlas reset`)).toMatchObject({ code: 0, err: '' });
});

test.each([
  ['resett', 'there is no mail "resett"\n    did you mean "reset"?'],
  ['-o html', '-o html prints one mail\n    name a kind, or write all with --to <directory>'],
])('refused: %s', async (more, message) => {
  const { code, err } = await skep(`mail preview ${dir}/shop ${more}`);
  expect(code).toBe(2);
  expect(err).toContain(message);
});

test('a fault of a template is named with file and line; a directory that is no product with its file', async () => {
  writeFileSync(join(dir, 'shop/mails/reset.de.yaml'), 'subject: x\ntext: "{{link}} {{nmae}}"\n');
  expect((await skep(`mail preview ${dir}/shop`)).err).toContain(`${dir}/shop/mails/reset.de.yaml:2:7`);
  const none = await skep(`mail preview ${dir}`);
  expect([none.code, none.err]).toEqual([2, expect.stringContaining(`${dir}/product.yaml`)]);
});
