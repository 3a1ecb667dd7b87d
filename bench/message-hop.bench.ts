/** One request to another thread and its reply back, in the frames and batches that door and host use. */
import { Worker } from 'node:worker_threads';
import { Channel, Outbox } from '#actors/protocol/channel.ts';
import { INLINE_BYTES_MAX, REPLY_STRIDE, REQUESTS, type Body, type Flat } from '#actors/protocol/frame.ts';
import type { BenchCase } from './harness.ts';
import type { Figure } from './kit/figure.ts';
import { functionMs } from './kit/function-bench.ts';
import { timesOf } from './kit/stats.ts';

const IN_FLIGHT = 64;
const WARM_MS_MAX = 500;
/** Latencies kept: enough for a percentile, little enough to cost nothing. */
const SAMPLE_EVERY = 64;

const SMALL = 'x'.repeat(256);
const INLINE = 'x'.repeat(INLINE_BYTES_MAX);

/** Bytes are made anew for each request: a clone carries the same object only once. */
const LOADS: readonly (readonly [name: string, body: () => Body])[] = [
  ['message-hop no body', () => ''],
  ['message-hop 256 B string', () => SMALL],
  ['message-hop 4 KiB string', () => INLINE],
  ['message-hop 16 KiB bytes', () => new Uint8Array(16 * 1024)],
];

export const messageHop: BenchCase = {
  name: 'message-hop',
  measures: 'round trips through a worker port, 64 in flight, batched frames',
  target: '',
  http: false,
  seconds: (options) => (LOADS.length * functionMs(options) * 1.25) / 1000,
  async run({ options }) {
    const worker = new Worker(new URL('./kit/echo.worker.ts', import.meta.url));
    try {
      const figures: Figure[] = [];
      const channel = new Channel(worker, 'main', 'tenant-host');
      for (const [name, body] of LOADS) {
        const ms = functionMs(options);
        await exchange(channel, body, Math.min(WARM_MS_MAX, ms / 4));
        figures.push(figureOf(name, await exchange(channel, body, ms)));
      }
      return figures;
    } finally {
      await worker.terminate();
    }
  },
};

interface Exchanged {
  readonly replies: number;
  readonly ms: number;
  /** Milliseconds from request to reply of a sample. */
  readonly took: readonly number[];
}

/** Keeps IN_FLIGHT requests on their way for `ms`, each reply sending the next; resolves when the last has come back. */
function exchange(channel: Channel, body: () => Body, ms: number): Promise<Exchanged> {
  return new Promise((resolve) => {
    const outbox = new Outbox(channel, REQUESTS, setImmediate);
    const sentAt = new Map<number, number>();
    const took: number[] = [];
    const from = performance.now();
    let no = 0;
    let replies = 0;
    const send = (): void => {
      if (++no % SAMPLE_EVERY === 0) sentAt.set(no, performance.now());
      outbox.batch.push(no, 1, 1, 'GET', '', '', '', 'request-id', '', body());
    };
    channel.onBatch = (batch: Flat) => {
      const now = performance.now();
      for (let at = 1; at < batch.length; at += REPLY_STRIDE) {
        const sent = sentAt.get(batch[at] as number);
        if (sent !== undefined) took.push(now - sent);
        replies++;
        if (now - from < ms) send();
      }
      if (replies === no) resolve({ replies, ms: now - from, took });
    };
    for (let i = 0; i < IN_FLIGHT; i++) send();
  });
}

function figureOf(name: string, { replies, ms, took }: Exchanged): Figure {
  const value = (replies * 1000) / ms;
  return { name, unit: 'op/s', value, ...timesOf(took), errors: 0 };
}
