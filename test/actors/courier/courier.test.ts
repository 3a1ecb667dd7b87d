/** The courier's queue: attempts, backoff, answers. */
import { describe, expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { backoffMs, Courier } from '#actors/courier/courier.ts';
import { SimulatedClock } from '#actors/kit/clock.ts';
import type { Mail, Settled } from '#actors/protocol/mail.ts';

const HOUR = 3_600_000;

class Bench {
  readonly clock = new SimulatedClock(0);
  readonly sent: string[] = [];
  readonly answers: Settled[] = [];
  readonly waits: number[] = [];
  readonly logged: string[] = [];
  /** What the wire does with a mail; null takes it. */
  fault: (mail: Mail) => Error | null = () => null;
  /** Mails on the wire, when the wire is slow. */
  readonly held: (() => void)[] = [];
  slow = false;
  #timers: { at: number; run: () => void }[] = [];
  readonly courier = new Courier<Mail>({
    clock: this.clock,
    log: { info: () => undefined, warn: (_fields, message) => void this.logged.push(message), error: () => undefined },
    send: async (mail) => {
      this.sent.push(mail.id);
      if (this.slow) await new Promise<void>((resolve) => this.held.push(resolve));
      const fault = this.fault(mail);
      if (fault !== null) throw fault;
    },
    isFinal: (error) => (error as Error).message === 'final',
    keyOf: ({ tenantNo, id }) => `${tenantNo} ${id}`,
    settle: ({ tenantNo, id }, outcome) => void this.answers.push({ tenantNo, id, outcome }),
    after: (ms, run) => {
      this.waits.push(ms);
      const timer = { at: this.clock.now() + ms, run };
      this.#timers.push(timer);
      return () => (this.#timers = this.#timers.filter((other) => other !== timer));
    },
  });

  offer(id: string, more: Partial<Mail> = {}): void {
    this.courier.offer({ tenantNo: 7, id, to: 'a@b.c', subject: 's', text: 't', expiresAtMs: HOUR, ...more });
  }

  get outcomes(): string[] {
    return this.answers.map(({ id, outcome }) => `${id} ${outcome}`);
  }

  get timers(): number {
    return this.#timers.length;
  }

  /** Runs timers in order until none is left or `ms` have passed. */
  async run(ms = HOUR): Promise<void> {
    const end = this.clock.now() + ms;
    for (;;) {
      await settled();
      const next = this.#timers.sort((a, b) => a.at - b.at)[0];
      if (next === undefined || next.at > end) return;
      this.#timers.shift();
      this.clock.set(next.at);
      next.run();
    }
  }
}

const settled = () => new Promise((resolve) => setImmediate(resolve));
const temporary = () => new Error('temporary');

describe('the courier', () => {
  test('sends and answers for each mail, with its tenant', async () => {
    const bench = new Bench();
    bench.offer('A');
    bench.offer('A', { tenantNo: 8 });
    await bench.run();
    expect(bench.answers).toEqual([
      { tenantNo: 7, id: 'A', outcome: 'sent' },
      { tenantNo: 8, id: 'A', outcome: 'sent' },
    ]);
    expect(bench.courier.depth).toBe(0);
  });

  test('a mail that it holds already counts once', async () => {
    const bench = new Bench();
    bench.slow = true;
    bench.offer('A');
    bench.offer('A');
    await settled();
    bench.held.forEach((take) => take());
    await bench.run();
    expect(bench.sent).toEqual(['A']);
    expect(bench.outcomes).toEqual(['A sent']);
  });

  test('a temporary failure is tried again: 2 s, doubling, at most 30 s, so many times', async () => {
    const bench = new Bench();
    bench.fault = temporary;
    bench.offer('A');
    await bench.run();
    expect(bench.waits).toEqual([2000, 4000, 8000, 16_000, ...Array.from({ length: 15 }, () => 30_000)]);
    expect(bench.sent).toHaveLength(limits.mail.attemptsMax);
    expect(bench.outcomes).toEqual(['A given_up']);
    expect(backoffMs(1000)).toBe(30_000);
  });

  test('and taken once the receiver takes it', async () => {
    const bench = new Bench();
    bench.fault = () => (bench.sent.length < 3 ? temporary() : null);
    bench.offer('A');
    await bench.run();
    expect(bench.sent).toHaveLength(3);
    expect(bench.outcomes).toEqual(['A sent']);
  });

  test('a final failure is not tried again', async () => {
    const bench = new Bench();
    bench.fault = () => new Error('final');
    bench.offer('A');
    await bench.run();
    expect(bench.sent).toEqual(['A']);
    expect(bench.outcomes).toEqual(['A refused']);
  });

  test('what has expired meanwhile does not leave', async () => {
    const bench = new Bench();
    bench.fault = temporary;
    bench.offer('A', { expiresAtMs: 6000 });
    await bench.run();
    expect(bench.sent).toHaveLength(2);
    expect(bench.outcomes).toEqual(['A expired']);
  });

  test('a waiting mail holds up no other; only so many are on the wire', async () => {
    const bench = new Bench();
    bench.slow = true;
    for (let i = 0; i < 10; i++) bench.offer(String(i));
    await settled();
    expect(bench.sent).toHaveLength(limits.mail.sendingMax);
    while (bench.held.length > 0) {
      bench.held.shift()!();
      await settled();
      expect(bench.held.length).toBeLessThanOrEqual(limits.mail.sendingMax);
    }
    expect(bench.outcomes).toHaveLength(10);
  });

  test('a full queue drops, counts, and answers so', async () => {
    const bench = new Bench();
    bench.slow = true;
    for (let i = 0; i < limits.mail.queueDepthMax + 2; i++) bench.offer(String(i));
    expect(bench.courier.depth).toBe(limits.mail.queueDepthMax);
    expect(bench.courier.dropped).toBe(2);
    expect(bench.outcomes).toEqual([
      `${limits.mail.queueDepthMax} dropped`,
      `${limits.mail.queueDepthMax + 1} dropped`,
    ]);
    expect(bench.logged).toHaveLength(2);
  });

  test('a stop waits for the wire, begins nothing, and answers for nothing that waits', async () => {
    const bench = new Bench();
    bench.fault = temporary;
    bench.offer('waiting');
    await settled();
    bench.slow = true;
    bench.fault = () => null;
    for (let i = 0; i < 6; i++) bench.offer(String(i));
    await settled();
    let stopped = false;
    const stop = bench.courier.stop().then(() => (stopped = true));
    await settled();
    expect([stopped, bench.timers]).toEqual([false, 0]);
    bench.held.forEach((take) => take());
    await stop;
    expect(bench.outcomes).toEqual(['0 sent', '1 sent', '2 sent', '3 sent']);
    bench.offer('late');
    expect(bench.sent).toHaveLength(5);
    await new Bench().courier.stop();
  });
});
