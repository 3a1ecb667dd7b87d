/** What every blob store must do. */
import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { BlobStore } from '#storage/blob/port.ts';

const yieldTurn = (): Promise<void> => Promise.resolve();

export function blobCases(name: string, make: () => BlobStore): void {
  describe(name, () => {
    const put = async (blobs: BlobStore, text: string): Promise<string> => {
      const upload = await blobs.begin();
      for (const letter of text) await upload.write(Buffer.from(letter));
      const { sha256, size } = await upload.seal();
      expect([sha256, size]).toEqual([createHash('sha256').update(text).digest('hex'), text.length]);
      await upload.publish();
      return sha256;
    };
    const textOf = async (blobs: BlobStore, sha256: string, from: number, to: number): Promise<string> => {
      let text = '';
      for await (const bytes of blobs.read(sha256, from, to)) text += Buffer.from(bytes).toString();
      return text;
    };

    test('gives back what was put, whole and in part; what was not published is not there', async () => {
      const blobs = make();
      const sha256 = await put(blobs, 'hello');
      expect([await blobs.size(sha256), await textOf(blobs, sha256, 0, 5), await textOf(blobs, sha256, 1, 3)]).toEqual([
        5,
        'hello',
        'el',
      ]);
      const upload = await blobs.begin();
      await upload.write(Buffer.from('secret'));
      const { sha256: hidden } = await upload.seal();
      expect(await blobs.size(hidden)).toBeNull();
      await upload.drop();
      await expect(textOf(blobs, hidden, 0, 1)).rejects.toThrow();
    });

    test('the empty blob, and the same blob twice', async () => {
      const blobs = make();
      const empty = await put(blobs, '');
      expect([await blobs.size(empty), await textOf(blobs, empty, 0, 0)]).toEqual([0, '']);
      expect(await put(blobs, 'twice')).toBe(await put(blobs, 'twice'));
    });

    test('a sweep removes what is old and unused, and nothing else', async () => {
      const blobs = make();
      const used = await put(blobs, 'used');
      const unused = await put(blobs, 'unused');
      const soon = Date.now() + 60_000;
      expect(await blobs.sweep(0, () => false, yieldTurn)).toBe(0);
      expect(await blobs.sweep(soon, (sha256) => sha256 === used, yieldTurn)).toBe(1);
      expect([await blobs.size(used), await blobs.size(unused)]).toEqual([4, null]);
    });

    test('what was made of a blob is there under its name, counts, and goes with the blob', async () => {
      const blobs = make();
      const of = await put(blobs, 'an image');
      const { derived } = blobs;
      expect([await derived.read(of, 'small'), await derived.names(of)]).toEqual([null, []]);
      await derived.write(of, 'small', Buffer.from('tiny'));
      await derived.write(of, 'large', Buffer.from('long'));
      await derived.write(of, 'large', Buffer.from('longer'));
      expect(Buffer.from((await derived.read(of, 'large'))!).toString()).toBe('longer');
      expect([(await derived.names(of)).sort(), await blobs.bytes()]).toEqual([['large', 'small'], 18]);
      await derived.removeOne(of, 'large');
      expect(await derived.names(of)).toEqual(['small']);
      const digests: string[] = [];
      for await (const sha256 of blobs.digests()) digests.push(sha256);
      expect(digests).toEqual([of]);
      expect(await blobs.sweep(Date.now() + 60_000, (sha256) => sha256 === of, yieldTurn)).toBe(0);
      expect(await derived.names(of)).toEqual(['small']);
      expect(await blobs.sweep(Date.now() + 60_000, () => false, yieldTurn)).toBe(1);
      expect([await derived.read(of, 'small'), await blobs.bytes()]).toEqual([null, 0]);
    });

    test('a sweep removes what was made of blobs that are not there any more', async () => {
      const blobs = make();
      const gone = createHash('sha256').update('gone').digest('hex');
      await blobs.derived.write(gone, 'small', Buffer.from('tiny'));
      expect(await blobs.sweep(Date.now() + 60_000, () => true, yieldTurn)).toBe(0);
      expect(await blobs.derived.read(gone, 'small')).toBeNull();
    });

    test('a file that comes in several requests goes on where it was, and is there with its note alone', async () => {
      const { partials } = make();
      expect([await partials.ids(), await partials.note('a'), await partials.removeUnnoted()]).toEqual([[], null, 0]);
      await partials.keep('a', 'first');
      await partials.keep('b', 'other');
      const put = async (from: number, text: string): Promise<void> => {
        const writer = await partials.append('a', from);
        for (const letter of text) await writer.write(Buffer.from(letter));
        await writer.sync();
        await writer.close();
      };
      const textIn = async (id: string): Promise<string> => {
        let text = '';
        for await (const bytes of partials.read(id)) text += Buffer.from(bytes).toString();
        return text;
      };
      await put(0, 'hello');
      await partials.keep('a', 'second');
      await put(3, 'p!');
      expect([await textIn('a'), await partials.size('a'), await partials.note('a')]).toEqual(['help!', 5, 'second']);
      expect([(await partials.ids()).sort(), await partials.size('b'), await textIn('b')]).toEqual([['a', 'b'], 0, '']);
      await put(1, '');
      expect([await textIn('a'), await partials.removeUnnoted()]).toEqual(['h', 0]);
      await partials.empty('a');
      expect([await partials.size('a'), await partials.note('a')]).toEqual([0, 'second']);
      await partials.remove('a');
      expect([await partials.ids(), await partials.size('a')]).toEqual([['b'], 0]);
      await partials.erase();
      expect(await partials.ids()).toEqual([]);
    });

    test('counts the bytes of all blobs: equal ones once, those that are not published not', async () => {
      const blobs = make();
      expect(await blobs.bytes()).toBe(0);
      for (const text of ['four', 'four', 'seven..']) await put(blobs, text);
      const upload = await blobs.begin();
      await upload.write(Buffer.from('on its way'));
      expect(await blobs.bytes()).toBe(11);
      await upload.drop();
    });

    test('nothing is swept while the store is held; an erased store is empty and goes on', async () => {
      const blobs = make();
      const held = await put(blobs, 'held');
      const [release, other] = [blobs.hold(), blobs.hold()];
      const soon = Date.now() + 60_000;
      release();
      release(); // once is enough
      expect(await blobs.sweep(soon, () => false, yieldTurn)).toBe(0);
      other();
      expect(await blobs.size(held)).toBe(4);
      expect(await blobs.sweep(soon, () => false, yieldTurn)).toBe(1);
      await put(blobs, 'erased');
      await blobs.erase();
      await blobs.erase();
      expect(await blobs.size(held)).toBeNull();
      expect(await blobs.size(await put(blobs, 'later'))).toBe(5);
    });

    test('notes: the newest text under its name, whole; a sweep leaves them, an erased store has none', async () => {
      const blobs = make();
      const { notes } = blobs;
      if (notes === null) return;
      expect([await notes.names(), await notes.read('a.json')]).toEqual([[], null]);
      await notes.remove('a.json');
      await Promise.all([notes.write('a.json', 'é\n'), notes.write('b.json', '')]);
      await notes.write('a.json', 'newer');
      expect([(await notes.names()).toSorted(), await notes.read('a.json'), await notes.read('b.json')]).toEqual([
        ['a.json', 'b.json'],
        'newer',
        '',
      ]);
      await blobs.sweep(Date.now() + 60_000, () => false, yieldTurn);
      await notes.remove('b.json');
      expect([await notes.names(), await notes.read('b.json')]).toEqual([['a.json'], null]);
      const digests: string[] = [];
      for await (const sha256 of blobs.digests()) digests.push(sha256);
      expect(digests).toEqual([]);
      await blobs.erase();
      expect([await notes.names(), await notes.read('a.json')]).toEqual([[], null]);
    });
  });
}
