/** Files that change while they are taken into a set: a small one that is written in place is taken as it is at one moment, and one that never rests is named. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { KnownFiles, takeTree } from '#storage/backup-set/take-tree.ts';
import { MemoryPlace } from './memory-place.ts';

/** A place that writes to the file, so many times, between its two looks at it. */
class Meddling extends MemoryPlace {
  changes: number;
  readonly #path: string;

  constructor(path: string, changes: number) {
    super(() => 0);
    this.#path = path;
    this.changes = changes;
  }

  override async sizeOf(part: string): Promise<number | null> {
    if (this.changes > 0) writeFileSync(this.#path, `mark ${this.changes--}`);
    return super.sizeOf(part);
  }
}

const pace = { over: false, did: () => undefined, rest: () => Promise.resolve(), wait: () => Promise.resolve() };

function taking(changes: number) {
  const root = mkdtempSync(join(tmpdir(), 'skep-tree-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const path = join(root, 'mark');
  writeFileSync(path, 'mark 9');
  const place = new Meddling(path, changes);
  const tree = takeTree({ root, picks: () => true, known: new KnownFiles(), pace, place, encryption: null });
  return { place, tree };
}

test('a mark that is written between two looks is taken as it is then', async () => {
  const { place, tree } = taking(3);
  const { files } = await tree;
  expect(files.map(({ path }) => path)).toEqual(['mark']);
  const kept = [...place.kept.entries()].find(([name]) => name.includes(files[0]!.sha256));
  expect(kept?.[1].bytes.toString()).toBe('mark 1');
});

test('a file that changes at each look is named', async () => {
  await expect(taking(100).tree).rejects.toThrow('mark was changed while it was read');
});
