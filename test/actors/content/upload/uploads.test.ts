/** Uploads of a store that come in several requests: how many, for how long, and what a restart finds. Source: docs/contract/content.md §5.5. */
import { describe, expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { Uploads } from '#actors/content/upload/uploads.ts';
import type { UploadNote } from '#actors/content/upload/upload-note.ts';
import { MemoryPartials } from '#storage/blob/memory-partials.ts';
import { fc } from '#test/kit/property.ts';

const noteOf = (more: Partial<UploadNote> = {}): UploadNote => ({
  assetId: 'A',
  length: 100,
  name: 'a.txt',
  type: '',
  fields: {},
  owner: 'user:ada',
  endsAtMs: 1000,
  isDone: false,
  ...more,
});
const room = () => Promise.resolve(null);

test('an upload is known until its time is up, and the sweep ends it', async () => {
  const files = new MemoryPartials();
  const uploads = new Uploads(files);
  expect(await uploads.begin('a', noteOf(), room)).toBe(null);
  expect((await uploads.get('a', 999))!.note.name).toBe('a.txt');
  expect([await uploads.get('a', 1000), await uploads.get('b', 0)]).toEqual([null, null]);
  await uploads.endOld(999);
  expect(await files.ids()).toEqual(['a']);
  await uploads.endOld(1000);
  expect([await files.ids(), await uploads.reserved()]).toEqual([[], 0]);
});

test('one that sends bytes, or becomes an asset, is not ended', async () => {
  const files = new MemoryPartials();
  const uploads = new Uploads(files);
  for (const id of ['busy', 'ending']) await uploads.begin(id, noteOf(), room);
  (await uploads.get('busy', 0))!.isBusy = true;
  (await uploads.get('ending', 0))!.ending = Promise.resolve();
  await uploads.endOld(5000);
  expect((await files.ids()).sort()).toEqual(['busy', 'ending']);
});

test('a caller has some places, a store has more, and begins at once are counted too', async () => {
  const uploads = new Uploads(new MemoryPartials());
  const { uploadsOpenMax: all, uploadsOpenOfCallerMax: own } = limits.content;
  const mine = await Promise.all(Array.from({ length: own + 3 }, (_, i) => uploads.begin(`mine${i}`, noteOf(), room)));
  expect(mine.filter((one) => one === 'many')).toHaveLength(3);
  for (let i = own; i < all; i++) expect(await uploads.begin(`x${i}`, noteOf({ owner: `user:${i}` }), room)).toBe(null);
  expect(await uploads.begin('late', noteOf({ owner: 'user:late' }), room)).toBe('many');
  const first = (await uploads.get('mine0', 0))!;
  await uploads.done(first, 0);
  expect(await uploads.begin('late', noteOf({ owner: 'user:late' }), room)).toBe(null);
});

test('one for which there is no room is not begun', async () => {
  const files = new MemoryPartials();
  const uploads = new Uploads(files);
  expect(await uploads.begin('a', noteOf(), () => Promise.resolve('the quota'))).toEqual({ full: 'the quota' });
  expect([await files.ids(), await uploads.reserved()]).toEqual([[], 0]);
});

test('bytes are reserved from the beginning until the asset is there', async () => {
  const uploads = new Uploads(new MemoryPartials());
  await uploads.begin('a', noteOf({ length: 70 }), room);
  await uploads.begin('b', noteOf({ length: 5 }), room);
  expect(await uploads.reserved()).toBe(75);
  await uploads.done((await uploads.get('a', 0))!, 0);
  expect(await uploads.reserved()).toBe(5);
});

describe('after a restart', () => {
  test('an upload is where its bytes are, one that is done is done, and what has no note is gone', async () => {
    const files = new MemoryPartials();
    const before = new Uploads(files);
    await before.begin('half', noteOf(), room);
    await before.begin('done', noteOf({ assetId: 'B' }), room);
    const writer = await files.append('half', 0);
    await writer.write(Buffer.alloc(30));
    await before.done((await before.get('done', 0))!, 0);
    const after = new Uploads(files);
    expect(await after.get('half', 0)).toMatchObject({ offset: 30, isBusy: false, ending: null });
    expect(await after.get('done', 0)).toMatchObject({ offset: 100, note: { isDone: true, assetId: 'B' } });
    expect(await files.size('done')).toBe(0);
  });

  test('bytes whose checksum was not compared yet do not count', async () => {
    const files = new MemoryPartials();
    const before = new Uploads(files);
    await before.begin('a', noteOf(), room);
    const upload = (await before.get('a', 0))!;
    await before.hold(upload, 10);
    const writer = await files.append('a', 0);
    await writer.write(Buffer.alloc(30));
    expect((await new Uploads(files).get('a', 0))!.offset).toBe(10);
    await before.hold(upload, null);
    expect((await new Uploads(files).get('a', 0))!.offset).toBe(30);
  });
});

test('a note that is damaged ends its own upload and no other, and its files stay; one of an earlier release counts', async () => {
  const files = new MemoryPartials();
  const before = new Uploads(files);
  for (const id of ['a', 'b', 'c']) await before.begin(id, noteOf(), room);
  await files.keep('a', (await files.note('a'))!.replace('"length":100', '"length":900'));
  await files.keep('b', JSON.stringify(noteOf({ length: 50 })));
  const damaged: string[] = [];
  const after = new Uploads(files, (id) => void damaged.push(id));
  expect(await after.get('a', 0)).toBe(null);
  expect([(await after.get('b', 0))!.note.length, (await after.get('c', 0))!.note.length]).toEqual([50, 100]);
  expect([damaged, (await files.ids()).toSorted()]).toEqual([['a'], ['a', 'b', 'c']]);
});

test('those of one caller end with its data, those of others stay', async () => {
  const files = new MemoryPartials();
  const uploads = new Uploads(files);
  await uploads.begin('a', noteOf(), room);
  await uploads.begin('b', noteOf({ owner: 'user:bob' }), room);
  await uploads.removeOf('user:ada');
  expect(await files.ids()).toEqual(['b']);
});

test('whatever is begun, ended and swept, reserved bytes are those of uploads that are under way (counted)', async () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constant('begin' as const), id: fc.nat(9), length: fc.nat(50), ends: fc.nat(40) }),
    fc.record({ kind: fc.constant('done' as const), id: fc.nat(9) }),
    fc.record({ kind: fc.constant('remove' as const), id: fc.nat(9) }),
    fc.record({ kind: fc.constant('sweep' as const), now: fc.nat(40) }),
    fc.record({ kind: fc.constant('restart' as const) }),
  );
  let seen = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const files = new MemoryPartials();
      let uploads = new Uploads(files);
      const open = new Map<string, { length: number; ends: number }>();
      const done = new Set<string>();
      for (const one of steps) {
        const id = 'id' in one ? `u${one.id}` : '';
        if (one.kind === 'restart') uploads = new Uploads(files);
        else if (one.kind === 'sweep') {
          await uploads.endOld(one.now);
          for (const [key, { ends }] of open) if (ends <= one.now) open.delete(key);
        } else if (one.kind === 'begin') {
          if (open.has(id) || done.has(id)) continue;
          await uploads.begin(id, noteOf({ length: one.length, endsAtMs: one.ends, owner: id }), room);
          open.set(id, { length: one.length, ends: one.ends });
        } else {
          const upload = await uploads.get(id, -1);
          if (upload === null || !open.has(id)) continue;
          if (one.kind === 'done') {
            await uploads.done(upload, 0);
            done.add(id);
          } else await uploads.remove(upload);
          open.delete(id);
        }
        expect(await uploads.reserved()).toBe([...open.values()].reduce((sum, { length }) => sum + length, 0));
        seen++;
      }
    }),
    { numRuns: 200 },
  );
  expect(seen).toBeGreaterThan(500);
});
