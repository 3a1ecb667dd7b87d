import { describe, expect, test } from 'vitest';
import { Writer, type WriterOptions } from '#actors/intake/writer.ts';

/** Ports that note what they were asked and answer when the test says so. */
class Bench {
  readonly events: string[] = [];
  readonly fatal: Error[] = [];
  readonly #waiting = new Map<string, { resolve: () => void; reject: (error: Error) => void }>();
  readonly #turns: (() => void)[] = [];
  now = 0;
  full = false;
  readonly writer: Writer<number, string>;

  constructor(options: Partial<WriterOptions<number, string>> = {}) {
    this.writer = new Writer({
      log: {
        append: async (batch) => {
          await this.#ask(`append ${batch.join()}`);
          return this.full ? null : `after ${batch.at(-1)}`;
        },
        sync: () => this.#ask('sync'),
      },
      database: { commit: (batch, place) => this.#ask(`commit ${batch.join()} ${place}`) },
      batchMax: 3,
      batchWaitMs: 25,
      queueDepth: 5,
      monotonic: () => this.now,
      later: (run) => void this.#turns.push(run),
      onFatal: (error) => void this.fatal.push(error),
      ...options,
    });
  }

  /** Submits; the record's fate is noted as an event. False when it was shed. */
  submit(record: number): boolean {
    const fate = this.writer.submit(record);
    void fate?.then((settled) => this.events.push(`${settled} ${record}`));
    return fate !== null;
  }

  /** Ends the event loop's turn: what was put off runs. */
  async turn(): Promise<void> {
    for (const run of this.#turns.splice(0)) run();
    await settle();
  }

  /** Answers the operation that waits. */
  async finish(operation: string, error?: Error): Promise<void> {
    const waiting = this.#waiting.get(operation);
    if (waiting === undefined) throw new Error(`no call waits for ${operation}: ${[...this.#waiting.keys()].join()}`);
    this.#waiting.delete(operation);
    if (error === undefined) waiting.resolve();
    else waiting.reject(error);
    await settle();
  }

  take(): string[] {
    return this.events.splice(0);
  }

  #ask(operation: string): Promise<void> {
    this.events.push(operation);
    return new Promise((resolve, reject) => this.#waiting.set(operation, { resolve, reject }));
  }
}

/** Lets every promise that is already settled run its followers. */
const settle = () => new Promise<void>((resolve) => void setImmediate(resolve));

async function started(...records: number[]): Promise<Bench> {
  const bench = new Bench();
  for (const record of records) bench.submit(record);
  await bench.turn();
  return bench;
}

describe('the order of a batch', () => {
  test('append, sync, commit, acknowledge; each only after the one before', async () => {
    const bench = await started(1, 2);
    expect(bench.take()).toEqual(['append 1,2']);
    await bench.finish('append 1,2');
    expect(bench.take()).toEqual(['sync']);
    await bench.finish('sync');
    expect(bench.take()).toEqual(['commit 1,2 after 2']);
    await bench.finish('commit 1,2 after 2');
    expect(bench.take()).toEqual(['durable 1', 'durable 2']);
  });

  test('the requests of one turn of the event loop share a batch, up to batchMax', async () => {
    const bench = await started(1, 2, 3, 4);
    expect(bench.take()).toEqual(['append 1,2,3']);
    await bench.finish('append 1,2,3');
    await bench.finish('sync');
    expect(bench.take()).toEqual(['sync', 'commit 1,2,3 after 3', 'append 4']);
  });

  test('what arrives during a sync leaves as soon as it returns, without waiting for batchWaitMs', async () => {
    const bench = await started(1);
    bench.submit(2);
    bench.submit(3);
    await bench.finish('append 1');
    await bench.finish('sync');
    expect(bench.take()).toEqual(['append 1', 'sync', 'commit 1 after 1', 'append 2,3']);
    expect(bench.writer.stats()).toEqual({ batches: 2, records: 3, late: 0 });
  });

  test('a batch whose oldest record waited longer than batchWaitMs is counted as late', async () => {
    const bench = await started(1);
    bench.submit(2);
    bench.now += 26;
    await bench.finish('append 1');
    await bench.finish('sync');
    expect(bench.writer.stats()).toEqual({ batches: 2, records: 2, late: 1 });
  });
});

describe('overlap', () => {
  test('the next batch is appended and synced while the last one commits, and commits after it', async () => {
    const bench = await started(1);
    await bench.finish('append 1');
    await bench.finish('sync');
    bench.submit(2);
    await bench.turn();
    await bench.finish('append 2');
    await bench.finish('sync');
    bench.submit(3);
    await bench.turn();
    expect(bench.take()).toEqual(['append 1', 'sync', 'commit 1 after 1', 'append 2', 'sync']);
    await bench.finish('commit 1 after 1');
    expect(bench.take()).toEqual(['durable 1', 'commit 2 after 2', 'append 3']);
  });
});

describe('bounds', () => {
  test('a full queue sheds; records under way do not count', async () => {
    const bench = await started(1, 2, 3);
    expect([4, 5, 6, 7, 8].map((record) => bench.submit(record))).toEqual([true, true, true, true, true]);
    expect(bench.submit(9)).toBe(false);
    expect(bench.writer.depth).toBe(5);
    await bench.finish('append 1,2,3');
    await bench.finish('sync');
    expect(bench.submit(9)).toBe(true);
  });

  test('a full disk turns one batch away, and the writer goes on', async () => {
    const bench = await started(1);
    bench.full = true;
    await bench.finish('append 1');
    expect(bench.take()).toEqual(['append 1', 'full 1']);
    bench.full = false;
    bench.submit(2);
    await bench.turn();
    await bench.finish('append 2');
    await bench.finish('sync');
    await bench.finish('commit 2 after 2');
    expect(bench.take().at(-1)).toBe('durable 2');
    expect(bench.fatal).toEqual([]);
  });
});

describe('the first failure stops the writer', () => {
  const broken = new Error('EIO');

  test.each(['append 1', 'sync', 'commit 1 after 1'])(
    '%s: told once, nothing acknowledged, nothing taken',
    async (at) => {
      const bench = await started(1);
      bench.submit(2);
      for (const step of ['append 1', 'sync', 'commit 1 after 1']) {
        await bench.finish(step, step === at ? broken : undefined);
        if (step === at) break;
      }
      expect(bench.fatal).toEqual([broken]);
      expect(bench.events).toContain('failed 1');
      expect(bench.submit(3)).toBe(false);
      expect(bench.writer.open).toBe(false);
    },
  );

  test('a failed sync takes back the acknowledgement of a commit that ends after it', async () => {
    const bench = await started(1);
    await bench.finish('append 1');
    await bench.finish('sync');
    bench.submit(2);
    await bench.turn();
    await bench.finish('append 2');
    await bench.finish('sync', broken);
    await bench.finish('commit 1 after 1');
    expect(bench.events.filter((event) => event.startsWith('durable'))).toEqual([]);
    expect(bench.events.filter((event) => event.startsWith('failed'))).toEqual(['failed 2', 'failed 1']);
  });

  test('a failed commit takes the batch behind it along, unacknowledged and uncommitted', async () => {
    const bench = await started(1);
    await bench.finish('append 1');
    await bench.finish('sync');
    bench.submit(2);
    await bench.turn();
    await bench.finish('append 2');
    await bench.finish('sync');
    await bench.finish('commit 1 after 1', broken);
    expect(bench.events.filter((event) => event.startsWith('commit'))).toEqual(['commit 1 after 1']);
    expect(bench.events.filter((event) => event.startsWith('failed'))).toEqual(['failed 1', 'failed 2']);
    expect(bench.fatal).toEqual([broken]);
  });
});

describe('stopping and tasks', () => {
  test('drain settles every record that was taken, and takes no more', async () => {
    const bench = new Bench({ log: null });
    for (const record of [1, 2, 3, 4]) bench.submit(record);
    let drained = false;
    void bench.writer.drain().then(() => (drained = true));
    expect(bench.submit(5)).toBe(false);
    await bench.turn();
    await bench.finish('commit 1,2,3 null');
    expect(drained).toBe(false);
    await bench.finish('commit 4 null');
    expect(bench.take().filter((event) => event.startsWith('durable'))).toHaveLength(4);
    expect(drained).toBe(true);
  });

  test('an idle writer drains at once', async () => {
    await expect(new Bench().writer.drain()).resolves.toBeUndefined();
  });

  test('a task runs when no batch is in the log stage, before the next one', async () => {
    const bench = await started(1);
    bench.submit(2);
    const done = bench.writer.between(async () => void bench.events.push('task'));
    await bench.finish('append 1');
    expect(bench.take()).toEqual(['append 1', 'sync']);
    await bench.finish('sync');
    expect(bench.take()).toEqual(['commit 1 after 1', 'task', 'append 2']);
    await done;
  });

  test('a task runs on an idle writer, and its failure is fatal', async () => {
    const bench = new Bench();
    void bench.writer.between(async () => void bench.events.push('task'));
    await bench.turn();
    expect(bench.take()).toEqual(['task']);
    void bench.writer.between(() => Promise.reject(new Error('EIO')));
    await bench.turn();
    expect(bench.fatal).toHaveLength(1);
  });

  test('without a log the commit is the only stage, one at a time', async () => {
    const bench = new Bench({ log: null });
    bench.submit(1);
    await bench.turn();
    bench.submit(2);
    bench.submit(3);
    await bench.turn();
    expect(bench.take()).toEqual(['commit 1 null']);
    await bench.finish('commit 1 null');
    expect(bench.take()).toEqual(['durable 1', 'commit 2,3 null']);
  });
});
