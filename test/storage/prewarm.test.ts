import { closeSync, fstatSync, fsyncSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it, onTestFinished, vi } from 'vitest';
import { shardPath } from '#storage/archive.ts';
import { dataFile } from '#storage/data-file.ts';
import { loadC } from '#storage/libc.ts';
import type { Store } from '#storage/port.ts';
import { prewarm } from '#storage/prewarm.ts';
import { bytes, openAt, place } from './place.ts';

const PAGE = 4096;
const BYTES = 3 * 1024 * 1024 + PAGE;
const isLinux = process.platform === 'linux';
const note = isLinux ? '' : ' (skipped: no way to ask this system for the pages it holds)';

afterEach(() => vi.restoreAllMocks());

/** sys/mman.h, fcntl.h */
const PROT_READ = 1;
const MAP_SHARED = 1;
const POSIX_FADV_DONTNEED = 4;

/** Drops the pages of a file from memory, and gives the share of them that is there. */
async function pagesOf(path: string) {
  const fd = openSync(path, 'r+');
  onTestFinished(() => closeSync(fd));
  const { size } = fstatSync(fd);
  const advise = await loadC<(...of: number[]) => number>(
    'int posix_fadvise(int fd, int64_t offset, int64_t length, int advice)',
  );
  const map = await loadC<(...of: number[]) => number>(
    'int64_t mmap(int64_t at, size_t length, int prot, int flags, int fd, int64_t offset)',
  );
  const core = await loadC<(at: number, length: number, pages: Uint8Array) => number>(
    'int mincore(int64_t at, size_t length, void *pages)',
  );
  const at = map(0, size, PROT_READ, MAP_SHARED, fd, 0);
  return {
    path,
    cool(): void {
      fsyncSync(fd);
      advise(fd, 0, 0, POSIX_FADV_DONTNEED);
    },
    inMemory(): number {
      const pages = new Uint8Array(Math.ceil(size / PAGE));
      if (core(at, size, pages) !== 0) throw new Error('mincore failed');
      return pages.reduce((sum, page) => sum + (page & 1), 0) / pages.length;
    },
  };
}

/** A file of which no page is in memory. */
async function coldFile() {
  const path = join(place(), 'pages');
  writeFileSync(path, Buffer.alloc(BYTES, 7));
  const file = await pagesOf(path);
  file.cool();
  expect(file.inMemory()).toBe(0);
  return file;
}

it.skipIf(!isLinux)(
  `brings every page of a file into memory, again where the system has taken them back${note}`,
  async () => {
    const file = await coldFile();
    const ended = new AbortController();
    await prewarm(file.path, ended.signal, 10);
    expect(file.inMemory()).toBe(1);
    file.cool();
    expect(file.inMemory()).toBe(0);
    await vi.waitFor(() => expect(file.inMemory()).toBe(1));
    ended.abort();
  },
);

it.skipIf(!isLinux)(`leaves a file alone that would take more than half of the free memory${note}`, async () => {
  const file = await coldFile();
  const ended = new AbortController();
  const free = vi.spyOn(process, 'availableMemory').mockReturnValue(2 * BYTES - 1);
  await prewarm(file.path, ended.signal);
  expect(file.inMemory()).toBe(0);
  free.mockReturnValue(2 * BYTES);
  await prewarm(file.path, ended.signal);
  ended.abort();
  expect(file.inMemory()).toBe(1);
});

it.skipIf(!isLinux)(`reads no more once its signal has ended it${note}`, async () => {
  const file = await coldFile();
  await prewarm(file.path, AbortSignal.abort(), 1);
  await new Promise((resolve) => void setTimeout(resolve, 30));
  expect(file.inMemory()).toBe(0);
});

it('resolves at once where there is no file', async () => {
  const ended = new AbortController();
  await expect(prewarm(join(place(), 'none'), ended.signal)).resolves.toBeUndefined();
  ended.abort();
});

function fillStore(store: Store): void {
  for (let row = 0; row < 100; row++) {
    const turn = store.begin();
    turn.put(`\x01\x01${row}`, bytes('value'.repeat(1000)));
    turn.commit();
  }
}

it.skipIf(!isLinux)(`is of the shard in which a store lies${note}`, async () => {
  const dataDir = place();
  const archive = await openAt(dataDir);
  const [other, own] = await Promise.all(
    [0, 1].map(async (no) => {
      fillStore(archive.store(no, 7));
      await archive.drain();
      return pagesOf(dataFile(shardPath(dataDir, no)));
    }),
  );
  // What LMDB has touched stays: its map holds it.
  own!.cool();
  other!.cool();
  expect(Math.max(own!.inMemory(), other!.inMemory())).toBeLessThan(0.5);
  const ended = new AbortController();
  await archive.store(1, 7).prewarm(ended.signal);
  expect(own!.inMemory()).toBe(1);
  expect(other!.inMemory()).toBeLessThan(0.5);
  ended.abort();
  await archive.close();
});
