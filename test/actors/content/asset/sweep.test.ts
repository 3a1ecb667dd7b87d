/** Bytes that an asset, or an earlier version of one, needs are never swept; the others are, after their time. */
import { expect, test } from 'vitest';
import { ownEntities } from '#config/definitions/content/own-entities.ts';
import type { ContentStoreDefinition } from '#config/definitions/content/shapes.ts';
import { limits } from '#config/limits.ts';
import { MemoryBlobs } from '#test/storage/blob/memory.ts';
import { MemoryStore } from '#test/storage/memory.ts';
import type { Activation, Context } from '#actors/host/activation.ts';
import { Exclusive } from '#actors/host/exclusive.ts';
import { Inside } from '#actors/host/inside.ts';
import { Work } from '#actors/host/work.ts';
import { noteName, noteText } from '#actors/content/asset/note-file.ts';
import { sweep } from '#actors/content/asset/sweep.ts';
import { ImageMaker } from '#actors/content/image/image-maker.ts';
import { partOf, wake } from '#actors/content/part.ts';
import { Rows } from '#actors/content/rows.ts';
import { provisionSchema } from '#actors/engine/schema/apply.ts';
import { dataService } from '#actors/data/service.ts';
import { NO_JOBS } from '#actors/kit/jobs.ts';
import { SimulatedClock } from '#test/kit/simulated-clock.ts';
import { IdSource } from '#actors/kit/id.ts';
import { ringOf } from '#actors/kit/token/ring.ts';
import { positionOf } from '#actors/protocol/position.ts';

const media: ContentStoreDefinition = {
  name: 'media',
  type: 'native',
  active: true,
  index: 'database',
  images: {},
  access: {},
};
const log = { info: () => undefined, warn: () => undefined, error: () => undefined };

async function open(given?: MemoryBlobs) {
  const clock = new SimulatedClock();
  const store = new MemoryStore();
  const blobs = given ?? new MemoryBlobs(() => clock.now());
  const entities = Object.fromEntries(ownEntities([media]).map((entity) => [entity.name, entity]));
  const product = { name: 'atlas', settings: {}, entities, contentStores: [media] };
  await provisionSchema(store, product);
  const context: Context = {
    clock,
    log,
    ids: new IdSource(clock),
    random: (bytes) => Buffer.alloc(bytes, 7),
    ring: ringOf([]),
  };
  const position = positionOf('acme', 'atlas', 'dev', 'main')!;
  const activation: Activation = { position, tenantNo: 1, context, product, store, exclusive: new Exclusive() };
  const data = dataService();
  await data.activate(activation);
  const routes = Object.entries(data.routes).map(([name, row], no) => ({
    no,
    name,
    service: 'data',
    row,
    paramNames: [...row.path.matchAll(/\{(\w+)\*?\}/g)].map((match) => match[1]!),
  }));
  new Inside({ log, routes, services: new Map([['data', data]]) }).carryFor(activation);
  const settings = {
    defaultstoreaction: false,
    defaultappaction: false,
    assetBytesMax: limits.content.assetBytesMax,
    storeBytesMax: null,
    blobs: () => blobs,
    jobs: NO_JOBS,
    secret: () => Promise.resolve(null),
    after: () => undefined,
    webhooksPending: () => undefined,
  };
  wake(activation, settings, new ImageMaker(NO_JOBS));
  const put = async (text: string): Promise<{ sha256: string; size: number }> => {
    const upload = await blobs.begin();
    await upload.write(Buffer.from(text));
    const receipt = await upload.seal();
    await upload.publish();
    return receipt;
  };
  return { activation, blobs, clock, put, opened: partOf(activation).stores.get('media')! };
}

test('what an asset or an earlier version needs stays; what neither needs goes after its time', async () => {
  const { activation, blobs, clock, put, opened } = await open();
  const [now, earlier, orphan] = [await put('now'), await put('earlier'), await put('orphan')];
  const file = (one: object) => ({ name: 'a', content_type: 'text/plain', ...one });
  const rows = new Rows(new Work(activation), 'internal');
  const [asset] = await rows.run([{ action: 'create', data: { asset: { store: 'media', ...file(now) } } }]);
  await rows.run([
    { action: 'create', data: { asset_version: { asset_id: asset!['id'], number: 1, ...file(earlier) } } },
  ]);
  expect(await sweep(activation, opened)).toBe(0);
  clock.advance(limits.content.sweepGraceMs + 1);
  const fresh = await put('fresh');
  expect(await sweep(activation, opened)).toBe(1);
  const sizes = await Promise.all([now, earlier, orphan, fresh].map(({ sha256 }) => blobs.size(sha256)));
  expect(sizes).toEqual([3, 7, null, 5]);
  await rows.remove('asset', asset!['id'] as string);
  clock.advance(limits.content.sweepGraceMs + 1);
  expect(await sweep(activation, opened)).toBe(3);
  expect(blobs.count).toBe(0);
});

test('what a file of the index names stays, whichever index the store has now; a damaged file stops the sweep', async () => {
  const { activation, blobs, clock, put, opened } = await open();
  const [now, earlier, orphan] = [await put('now'), await put('earlier'), await put('orphan')];
  const id = activation.context.ids.next();
  const note = { asset: { id, store: 'media', sha256: now.sha256 }, versions: [{ sha256: earlier.sha256 }], keys: [] };
  await blobs.notes.write(noteName(id), noteText(note));
  clock.advance(limits.content.sweepGraceMs + 1);
  expect(await sweep(activation, opened)).toBe(1);
  const sizes = await Promise.all([now, earlier, orphan].map(({ sha256 }) => blobs.size(sha256)));
  expect(sizes).toEqual([3, 7, null]);
  await blobs.notes.write(noteName(id), noteText(note).replace('media', 'other'));
  const again = await open(blobs);
  await put('another orphan');
  again.clock.advance(limits.content.sweepGraceMs * 10);
  expect(await sweep(again.activation, again.opened)).toBe(0);
  expect(blobs.count).toBe(3);
});
