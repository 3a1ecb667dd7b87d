/** What sealing costs a log elsewhere: bodies of entries sealed and opened again on one thread. */
import { randomBytes } from 'node:crypto';
import { BodyReader, BodyWriter } from '#storage/engine-journals/body.ts';
import { RecordBuffer } from '#storage/journal/record.ts';
import { LogSeal } from '#storage/log-seal/seal.ts';
import type { BenchCase } from './harness.ts';
import { functionMs } from './kit/function-bench.ts';

const MIB = 1024 * 1024;
/** Of the records of an entry: what a lone caller writes, and what a busy host sends together. */
const SIZES = { 'log-seal-small': 400, 'log-seal-large': 256 * 1024 } as const;
const RECORD_BYTES = 350;

export const logSealing: BenchCase = {
  name: 'log-seal',
  measures: 'entries of a log sealed and opened, with AES-256-GCM',
  target: 'none: it says what sealing takes of a core',
  http: false,
  seconds: (options) => (2 * functionMs(options)) / 1000,
  run: async ({ options }) =>
    Object.entries(SIZES).map(([name, bytes]) => {
      const { entries, seconds } = timed(bytes, functionMs(options));
      const note = `${((entries * bytes) / seconds / MIB).toFixed(0)} MiB/s, entries of ${bytes} B`;
      return { name, unit: 'op/s' as const, value: entries / seconds, errors: 0, note };
    }),
};

function timed(bytes: number, ms: number): { readonly entries: number; readonly seconds: number } {
  const keys = new Map([[1, randomBytes(32)]]);
  const seal = new LogSeal({ log: 'bench', keys, renew: async () => keys, random: randomBytes });
  const [writer, reader] = [new BodyWriter(0, seal), new BodyReader(seal)];
  const records = recordsOf(bytes);
  const began = performance.now();
  let seq = 0;
  while (performance.now() - began < ms) {
    const place = { shard: 0, epoch: 1, seq: ++seq, first: 1 };
    const body = writer.body('records', records, place);
    reader.take({ ...place, confirmed: 0, time: 0, chain: '', body });
  }
  return { entries: seq, seconds: (performance.now() - began) / 1000 };
}

function recordsOf(bytes: number): Buffer {
  const buffer = new RecordBuffer({ epoch: 1, seed: 0 });
  for (let number = 1; buffer.length < bytes; number++)
    buffer.append(number, number - 1, 0, [{ key: 'k', value: randomBytes(RECORD_BYTES) }], null);
  return Buffer.from(buffer.bytes.subarray(0, buffer.length));
}
