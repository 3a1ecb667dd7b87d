/** Kept revisions: canonical archives, found by their digest, and gone when no tenant serves them. */
import { mkdtempSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { fc } from '#test/kit/property.ts';
import { limits } from '#config/limits.ts';
import { archiveCheckout } from '#runtime/checkout-files.ts';
import { readArchive, writeArchive } from '#runtime/product-archive.ts';
import { productChecksum } from '#runtime/copies/product-checksum.ts';
import { loadProduct } from '#config/definitions/load-product.ts';
import { readCheckout } from '#runtime/read-checkout.ts';
import { Revisions } from '#runtime/revisions.ts';
import { sweepOnce } from '#runtime/revision-sweep.ts';
import { writeVillage } from '#test/kit/village.ts';

const META = { type: 'meta' } as const;
let dir: string;
beforeEach(() => (dir = mkdtempSync(join(tmpdir(), 'skep-revisions-'))));
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const segment = fc.stringMatching(/^[a-zA-Z0-9ä_-]{1,60}$/);
const path = fc.array(segment, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/'));

test('an archive is read as it was written, whatever its paths and bytes', () => {
  const file = fc.record({ path, bytes: fc.uint8Array({ maxLength: 1500 }).map((bytes) => Buffer.from(bytes)) });
  const files = fc.uniqueArray(file, { maxLength: 8, selector: (one) => one.path });
  fc.assert(
    fc.property(files, (some) => {
      const all = [...some, { path: 'product.yaml', bytes: Buffer.from('name: shop\n') }];
      const read = readArchive(writeArchive(all));
      const byPath = (a: { path: string }, b: { path: string }): number => (a.path < b.path ? -1 : 1);
      expect(read.toSorted(byPath)).toEqual(all.toSorted(byPath));
      expect(writeArchive(all.toReversed())).toEqual(writeArchive(all));
    }),
    { numRuns: 60 },
  );
});

test('the same definitions have one digest, wherever they lie and whatever lies beside them; any other bytes another', async () => {
  const [here, there] = [writeVillage(join(dir, 'here')), writeVillage(join(dir, 'there'))];
  writeFileSync(join(there, 'README.md'), 'of no use to the loader');
  writeFileSync(join(there, 'entities', '.swap'), 'an editor’s');
  const revisions = new Revisions(join(dir, 'data'));
  const digest = await revisions.keep(archiveCheckout(here, META));
  expect(await revisions.keep(archiveCheckout(there, META))).toBe(digest);
  writeFileSync(join(there, 'endpoints', 'count.yaml'), 'path: count\n');
  expect(await revisions.keep(archiveCheckout(there, META))).not.toBe(digest);
});

test('a kept product is the one that was read, with the places of its checkout', async () => {
  const localdir = writeVillage(join(dir, 'product'));
  const revisions = new Revisions(join(dir, 'data'));
  const revision = await revisions.keep(archiveCheckout(localdir, META));
  const read = loadProduct(localdir);
  if ('problems' in read) throw new Error('the village loads');
  rmSync(localdir, { recursive: true });
  const kept = await revisions.load(revision, localdir, META);
  expect(kept.problem).toBeNull();
  expect(JSON.stringify(kept.product)).toBe(JSON.stringify(read.product));
  expect(productChecksum(kept.product)).toBe(productChecksum(read.product));
});

test('a file of an entity that is named as the root file is, and a name that no archive holds', async () => {
  const localdir = writeVillage(join(dir, 'product'));
  renameSync(join(localdir, 'entities', 'town.yaml'), join(localdir, 'entities', 'product.yaml'));
  const wish = { localdir, env: {}, content: META, dataDir: join(dir, 'data') };
  const read = await readCheckout(wish);
  if ('problems' in read) throw new Error(read.problems);
  expect(Object.keys(read.product.entities).toSorted()).toEqual(['parish', 'town']);
  const kept = await new Revisions(wish.dataDir).load(read.revision!, localdir, META);
  expect(JSON.stringify(kept.product)).toBe(JSON.stringify(read.product));
  writeFileSync(join(localdir, 'entities', 'a\\b.yaml'), 'entities: {}\n');
  expect(await readCheckout(wish)).toEqual({ problems: expect.stringContaining('entities/a') });
});

test('one that is not there, or damaged, is a problem and no product', async () => {
  const revisions = new Revisions(join(dir, 'data'));
  expect((await revisions.load('0'.repeat(64), dir, META)).problem).toContain('is not in the data directory');
  const revision = await revisions.keep(archiveCheckout(writeVillage(join(dir, 'product')), META));
  writeFileSync(join(dir, 'data', 'revisions', revision.slice(0, 2), revision), 'x');
  expect((await revisions.load(revision, dir, META)).problem).toContain('is damaged');
});

test('a sweep removes what no host’s tenants serve, and leaves what was kept a moment ago; without every host’s word it removes nothing', async () => {
  const dataDir = join(dir, 'data');
  const revisions = new Revisions(dataDir);
  const keep = (text: string): Promise<string> =>
    revisions.keep(writeArchive([{ path: 'product.yaml', bytes: Buffer.from(text) }]));
  const [served, unused, young] = [await keep('a'), await keep('b'), await keep('c')];
  const long = Date.now() - 2 * limits.product.unusedMs;
  for (const old of [served, unused])
    utimesSync(join(dataDir, 'revisions', old.slice(0, 2), old), long / 1000, long / 1000);
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
  const clock = { now: () => Date.now() };
  const sweep = (served: () => Promise<string[][]>) => sweepOnce({ dataDir, hosts: { revisions: served }, clock, log });
  await expect(sweep(() => Promise.reject(new Error('host 1 is being replaced')))).rejects.toThrow('replaced');
  const left = async (): Promise<string[]> => {
    const found: string[] = [];
    for await (const digest of revisions.blobs.digests()) found.push(digest);
    return found.toSorted();
  };
  expect(await left()).toEqual([served, unused, young].toSorted());
  expect(await sweep(() => Promise.resolve([[served], []]))).toBe(1);
  expect(await left()).toEqual([served, young].toSorted());
});
