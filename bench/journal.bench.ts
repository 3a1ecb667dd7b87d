/** The journal alone: batches of records, one fdatasync each, nothing above and no LMDB behind. */
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { openJournal, type Journal } from '#storage/journal/journal.ts';
import type { BenchCase } from './harness.ts';
import type { Figure } from './kit/figure.ts';
import { number } from './kit/format.ts';
import { functionMs } from './kit/function-bench.ts';
import { timesOf } from './kit/stats.ts';

const BATCHES = [1, 64, 256];
const VALUE_BYTES = [256, 1024];
const KEY = 'journal-bench-key';
const SHARD = 1;

export const journalSync: BenchCase = {
  name: 'journal-sync',
  measures: 'journal append and fdatasync: 1, 64, 256 records a batch of 256 B and 1 KiB',
  target: '',
  http: false,
  seconds: (options) => (BATCHES.length * VALUE_BYTES.length * functionMs(options)) / 1000,
  async run({ options, dataDir }) {
    const figures: Figure[] = [];
    for (const bytes of VALUE_BYTES)
      for (const records of BATCHES) figures.push(await measure(dataDir, records, bytes, functionMs(options)));
    return figures;
  },
};

async function measure(dataDir: string, records: number, bytes: number, ms: number): Promise<Figure> {
  const directory = await mkdtemp(join(dataDir, 'journal-bench-'));
  let fatal: Error | null = null;
  const onFatal = (error: Error): void => void (fatal = error);
  const journal = await openJournal({ dataDir: directory, epoch: 1, name: 'bench', onFatal });
  try {
    const took = await batches(journal, records, Buffer.alloc(bytes, 0x5a), ms);
    if (fatal !== null) throw fatal;
    return figureOf(`journal-sync ${records} × ${bytes} B`, records, took);
  } finally {
    await journal.close(true);
    await rm(directory, { recursive: true });
  }
}

/** Milliseconds of each batch, from its first append to its durability. */
async function batches(journal: Journal, records: number, value: Uint8Array, ms: number): Promise<number[]> {
  const took: number[] = [];
  const writes = [{ key: KEY, value }];
  const end = performance.now() + ms;
  for (let now = performance.now(); now < end;) {
    let newest = 0;
    for (let i = 0; i < records; i++) newest = journal.append(SHARD, writes);
    await new Promise<void>((resolve) => journal.whenDurable(newest, resolve));
    // No environment follows here: segments whose records are durable are let go of at once.
    journal.retire(newest);
    const after = performance.now();
    took.push(after - now);
    now = after;
  }
  return took;
}

function figureOf(name: string, records: number, took: readonly number[]): Figure {
  const perSecond = (took.length * 1000) / took.reduce((sum, one) => sum + one, 0);
  return {
    name,
    unit: 'op/s',
    value: perSecond * records,
    ...timesOf(took),
    errors: 0,
    note: `${number(perSecond)} syncs/s`,
  };
}
