/** Which blobs a tenant's rows use, as the sweep sees it. */
import { expect, test } from 'vitest';
import { createRow } from '#actors/engine/rows/create.ts';
import { deleteRow } from '#actors/engine/rows/delete.ts';
import { updateRow } from '#actors/engine/rows/update.ts';
import { isUsed } from '#actors/engine/files/store.ts';
import { sweep } from '#actors/data/file/sweep.ts';
import { dataService } from '#actors/data/service.ts';
import { FileValue } from '#config/values/file-value.ts';
import { MemoryBlobs } from '#test/storage/blob/memory.ts';
import { DataTenant, entityOf, productOf } from '#test/kit/data-call.ts';
import { asRequest, Engine } from '#test/kit/data-session.ts';

const product = productOf([entityOf('paper', { id: { type: 'string' }, scan: { type: 'file' } })]);
const digests = ['a', 'b'].map((letter) => letter.repeat(64));
const fileOf = (sha256: string): FileValue => new FileValue({ name: 'f', content_type: 'a/b', size: 1, sha256 });

test('a row uses its file from its create to its delete, and no longer the one it gave up', async () => {
  const engine = new Engine(product);
  const model = engine.models.get('paper')!;
  const request = asRequest('paper');
  const used = (): boolean[] => digests.map((sha256) => isUsed(engine.turn, sha256));
  createRow(engine.session(), model, { id: 'p', scan: fileOf(digests[0]!) }, request);
  engine.end(true);
  expect(used()).toEqual([true, false]);
  updateRow(engine.session(), model, 'p', { scan: fileOf(digests[1]!) }, request);
  engine.end(true);
  expect(used()).toEqual([false, true]);
  await deleteRow(engine.session(), model, 'p', false, request);
  engine.end(true);
  expect(used()).toEqual([false, false]);
});

test('the sweep removes blobs that no row names once their grace is over', async () => {
  const blobs = new MemoryBlobs(() => 0);
  const tenant = await DataTenant.open(product, { service: dataService({ files: () => blobs }) });
  const upload = await blobs.begin();
  await upload.seal();
  await upload.publish();
  expect([await sweep(tenant.activation), blobs.count]).toEqual([1, 0]);
});
