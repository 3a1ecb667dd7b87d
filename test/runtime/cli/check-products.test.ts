/** `skep check` compiles what provisioning and waking compile: whatever those would refuse it names, with file, line and column. */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { writePlatformFile } from '#test/kit/platform-file.ts';
import { BREAKAGES, writeVillage } from '#test/kit/village.ts';
import { skep } from './recorder.ts';

let dir: string;
let product: string;
let platform: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'skep-check-'));
  product = writeVillage(join(dir, 'product'));
  platform = writePlatformFile(dir, { localdir: product });
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

test('a sound product has no problem', async () => {
  const { code, out, err } = await skep(`check -f ${platform}`);
  expect([code, err], out).toEqual([0, '']);
  expect(out).toMatch(/problems\W+0/);
});

test.each(BREAKAGES.map((one) => [one.what, one] as const))('it names %s', async (_, { file, from, to, at }) => {
  const path = join(product, file);
  const text = readFileSync(path, 'utf8');
  expect(text).toContain(from);
  writeFileSync(path, text.replace(from, to));
  const { code, err } = await skep(`check -f ${platform}`);
  expect(code, err).toBe(2);
  expect(err).toMatch(new RegExp(`${path}${at.source}(?: \\([\\w.]+\\))?: \\S`));
});

test('it lists what runs as a role, for a review', async () => {
  const localdir = join(dir, 'clinic');
  cpSync(fileURLToPath(new URL('../../kit/products/clinic', import.meta.url)), localdir, { recursive: true });
  const head = join(localdir, 'product.yaml');
  writeFileSync(head, readFileSync(head, 'utf8').replace(/^accounts: .*$/m, '')); // accounts need mail, which is not this test's
  const { code, out, err } = await skep(`check -f ${writePlatformFile(dir, { localdir })} -o json`);
  expect([code, err]).toEqual([0, '']);
  expect((JSON.parse(out) as { run_as: string[] }).run_as.map((line) => line.slice(localdir.length + 1))).toEqual([
    'endpoints/count.yaml:1:1: GET /data/x/count (auth: public) runs as doctor',
    'endpoints/stamp.yaml:1:1: POST /data/x/stamp (auth: user) runs as notary',
    'stateflows/stay.yaml:1:1: scripts of the stateflow stay run as notary',
  ]);
});
