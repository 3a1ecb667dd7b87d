/** Files that say what assets are: what is read back, what is not believed, and what there is no room for. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { limits } from '#config/limits.ts';
import { DirectoryBlobs } from '#storage/blob/directory.ts';
import { MemoryBlobs } from '#test/storage/blob/memory.ts';
import type { NoteStore } from '#storage/blob/port.ts';
import { AssetNotes } from '#actors/content/asset/asset-notes.ts';
import { noteText, parseNote, type Note } from '#actors/content/asset/note-file.ts';
import { IdSource } from '#actors/kit/id.ts';
import { SimulatedClock } from '#test/kit/simulated-clock.ts';

const ids = new IdSource(new SimulatedClock());
const sha = (n: number): string => n.toString(16).padStart(64, '0');
const noteOf = (id: string, digest = sha(1), more: Partial<Note> = {}): Note => ({
  asset: { id, sha256: digest, title: 'é "x"\n' },
  versions: [],
  keys: [],
  ...more,
});

function open(notes: NoteStore) {
  const told: unknown[] = [];
  const log = { info: () => undefined, warn: () => undefined, error: (fields: object) => void told.push(fields) };
  return { told, kept: new AssetNotes(notes, log, { tenant: 't', store: 's' }) };
}

function directory(): string {
  const dir = mkdtempSync(join(tmpdir(), 'skep-notes-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

test('what was written is read back by the next one, in the order of the ids', async () => {
  const dir = directory();
  const { kept } = open(new DirectoryBlobs(dir).notes);
  await kept.ready();
  const made = Array.from({ length: 100 }, () => ids.next());
  await Promise.all(made.toReversed().map((id, n) => kept.add(id, noteOf(id, sha(n)))));
  await kept.put(made[3]!, noteOf(made[3]!, sha(500), { versions: [{ number: 1, sha256: sha(501) }] }));
  await kept.remove(made[4]!);
  const expected = made.filter((_, at) => at !== 4);
  const again = open(new DirectoryBlobs(dir).notes);
  await again.kept.ready();
  for (const one of [kept, again.kept]) {
    expect([...one.after('')]).toEqual(expected);
    expect([...one.after(made[97]!)]).toEqual(made.slice(98));
    expect(one.get(made[3]!)).toEqual(noteOf(made[3]!, sha(500), { versions: [{ number: 1, sha256: sha(501) }] }));
    expect([sha(500), sha(501), sha(96), sha(95)].map((digest) => one.uses(digest))).toEqual([
      true,
      true,
      false,
      false,
    ]);
  }
  expect([again.told, readdirSync(join(dir, 'uploads'))]).toEqual([[], []]);
});

test('a file with any of its bytes altered, torn or lost is reported and not used; what it needed is kept', async () => {
  const dir = directory();
  const { kept } = open(new DirectoryBlobs(dir).notes);
  const [good, bad] = [ids.next(), ids.next()];
  await kept.ready();
  await kept.add(good, noteOf(good));
  await kept.add(bad, noteOf(bad));
  const path = join(dir, 'index', `${bad}.json`);
  const text = readFileSync(path, 'utf8');
  const altered = [
    '',
    text.slice(0, -2),
    text.slice(0, 20),
    text.replace('title', 'Title'),
    `${text}x`,
    'null\n',
    readFileSync(join(dir, 'index', `${good}.json`), 'utf8'),
  ];
  for (const wrong of altered) {
    writeFileSync(path, wrong);
    const { kept: again, told } = open(new DirectoryBlobs(dir).notes);
    await again.ready();
    expect([wrong, [...again.after('')], told]).toEqual([wrong, [good], [{ tenant: 't', store: 's', path }]]);
    expect(again.uses(sha(77))).toBe(true);
  }
});

test('no byte of a file can be another', () => {
  const id = ids.next();
  const bytes = Buffer.from(noteText(noteOf(id)));
  expect(parseNote(bytes.toString(), id)).toEqual(noteOf(id));
  for (let at = 0; at < bytes.length - 1; at++) {
    const turned = Buffer.from(bytes);
    turned[at]! ^= 1;
    expect([at, parseNote(turned.toString(), id)]).toEqual([at, null]);
  }
});

test('a store is full at its bound, and an asset says no more than it may', async () => {
  const { kept } = open(new MemoryBlobs().notes);
  await kept.ready();
  const long = { title: 'x'.repeat(limits.content.fsAssetBytesMax) };
  const first = ids.next();
  await expect(kept.add(first, { ...noteOf(first), asset: { id: first, ...long } })).rejects.toThrow('characters');
  expect(kept.get(first)).toBeUndefined();
  for (let n = 0; n < limits.content.fsAssetsMax; n++) {
    const id = ids.next();
    await kept.add(id, noteOf(id));
  }
  const [one] = [...kept.after('')];
  await expect(kept.add(first, noteOf(first))).rejects.toThrow('the most that its index holds');
  await kept.put(one!, noteOf(one!, sha(9)));
  await kept.remove(one!);
  await kept.add(first, noteOf(first));
});

test('a write that fails leaves what was there, and the next change goes on', async () => {
  const { notes } = new MemoryBlobs();
  const { kept } = open(notes);
  await kept.ready();
  const id = ids.next();
  await kept.add(id, noteOf(id));
  const full = vi.spyOn(notes, 'write').mockRejectedValue(new Error('no room'));
  await expect(kept.inOrder(id, () => kept.put(id, noteOf(id, sha(2))))).rejects.toThrow('no room');
  full.mockRestore();
  expect([kept.get(id), kept.uses(sha(1)), kept.uses(sha(2))]).toEqual([noteOf(id), true, false]);
  await kept.inOrder(id, () => kept.put(id, noteOf(id, sha(3))));
  expect([kept.uses(sha(1)), kept.uses(sha(3))]).toEqual([false, true]);
});
