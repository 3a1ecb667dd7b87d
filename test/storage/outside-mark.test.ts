/** A mark outside of the data directory: what it holds against the directory, and what it lets pass. */
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ArchiveCells, createArchiveCells } from '#storage/archive-cells.ts';
import { lastEpoch } from '#storage/journal/directories.ts';
import { acceptDirectory, compareWithMark, readOutsideMark, writeOutsideMark } from '#storage/outside-mark.ts';
import { bytes, openAt, place } from './place.ts';

interface Bench {
  readonly dataDir: string;
  readonly mark: string;
  readonly copy: string;
  /** A run that writes so many rows, notes the mark as a node does, and stops, or is cut off. */
  run(rows: number, end?: 'stop' | 'cut'): Promise<void>;
  putBack(): void;
  keep(): void;
}

function bench(): Bench {
  const home = place();
  const dataDir = join(home, 'data');
  const mark = join(home, 'second-disk.mark');
  const copy = join(home, 'copy');
  return {
    dataDir,
    mark,
    copy,
    keep: () => {
      rmSync(copy, { recursive: true, force: true });
      cpSync(dataDir, copy, { recursive: true });
    },
    putBack: () => {
      rmSync(dataDir, { recursive: true });
      cpSync(copy, dataDir, { recursive: true });
    },
    run: async (rows, end = 'stop') => {
      const cells = new ArchiveCells(createArchiveCells(1));
      const held = end === 'cut' ? { schedule: () => undefined } : {};
      const archive = await openAt(dataDir, { cells, ...held });
      const id = await compareIgnoringReach(dataDir, mark);
      const store = archive.store(0, 1);
      for (let no = 0; no < rows; no++) {
        const turn = store.begin();
        turn.put(`k${no}`, bytes('v'));
        turn.commit();
        await new Promise<void>((resolve) => store.whenDurable(turn.newest, resolve));
      }
      await writeOutsideMark(mark, { id, epoch: lastEpoch(dataDir), reached: cells.reached() });
      if (end === 'stop') await archive.close();
    },
  };
}

/** The id of a run that is open already: its directory was held against the mark before. */
async function compareIgnoringReach(dataDir: string, mark: string): Promise<string> {
  return readOutsideMark(mark)?.id ?? compareWithMark(dataDir, mark);
}

it('passes a directory as it was left, after a stop and after a crash', async () => {
  const it = bench();
  await it.run(3);
  const { id } = readOutsideMark(it.mark)!;
  expect(await compareWithMark(it.dataDir, it.mark)).toBe(id);
  await it.run(3, 'cut');
  it.keep();
  it.putBack(); // what lies there when the process ends: the journal, and LMDB behind it
  expect(readOutsideMark(it.mark)!.reached).toEqual([{ epoch: 2, number: 3 }]);
  expect(await compareWithMark(it.dataDir, it.mark)).toBe(id);
});

it('refuses a copy from before an earlier start', async () => {
  const it = bench();
  await it.run(3);
  it.keep();
  await it.run(1);
  it.putBack();
  await expect(compareWithMark(it.dataDir, it.mark)).rejects.toThrow(
    'it is an earlier copy, of start 1, and 2 starts were counted',
  );
  // Nothing was touched: the next start says the same.
  await expect(compareWithMark(it.dataDir, it.mark)).rejects.toThrow('skep storage accept');
});

it('refuses a copy of the same run that lacks what was durable, journals and all', async () => {
  const it = bench();
  const cells = new ArchiveCells(createArchiveCells(1));
  const archive = await openAt(it.dataDir, { cells });
  const id = await compareWithMark(it.dataDir, it.mark);
  const write = async (key: string): Promise<void> => {
    const store = archive.store(0, 1);
    const turn = store.begin();
    turn.put(key, bytes('v'));
    turn.commit();
    await new Promise<void>((resolve) => store.whenDurable(turn.newest, resolve));
  };
  await write('a');
  it.keep();
  await write('b');
  await writeOutsideMark(it.mark, { id, epoch: lastEpoch(it.dataDir), reached: cells.reached() });
  await archive.close();
  it.putBack();
  await expect(compareWithMark(it.dataDir, it.mark)).rejects.toThrow(
    'it ends at record 1 of journal 1, and record 2 was durable',
  );
  await acceptDirectory(it.dataDir, it.mark);
  expect(await compareWithMark(it.dataDir, it.mark)).toBe(id);
});

it('refuses an empty directory, one of another mark, and one whose mark is gone', async () => {
  const it = bench();
  await it.run(2);
  const other = bench();
  await other.run(2);
  await expect(compareWithMark(other.dataDir, it.mark)).rejects.toThrow('the mark is of another directory');
  const empty = place();
  await expect(compareWithMark(empty, it.mark)).rejects.toThrow('it is an earlier copy, of start 0');
  rmSync(it.mark);
  await expect(compareWithMark(it.dataDir, it.mark)).rejects.toThrow('is its disk mounted?');
  expect(existsSync(it.mark)).toBe(false);
  await acceptDirectory(it.dataDir, it.mark);
  await compareWithMark(it.dataDir, it.mark);
});

it('takes a directory that was never marked, and one that was served since without its mark', async () => {
  const it = bench();
  await (await openAt(it.dataDir)).close();
  await compareWithMark(it.dataDir, it.mark);
  await (await openAt(it.dataDir)).close();
  await compareWithMark(it.dataDir, it.mark);
});

it('says what is wrong with a mark that cannot be read or written', async () => {
  const it = bench();
  await it.run(1);
  writeFileSync(it.mark, readFileSync(it.mark, 'utf8').replace('"epoch":1', '"epoch":0'));
  await expect(compareWithMark(it.dataDir, it.mark)).rejects.toThrow('the mark is torn, or was changed by hand');
  await expect(compareWithMark(place(), join(place(), 'not-mounted', 'mark'))).rejects.toThrow('mount its disk');
});
