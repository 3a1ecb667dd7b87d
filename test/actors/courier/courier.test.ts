/** The courier's queue: attempts, backoff, answers. */
import { describe, expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { backoffMs, Courier } from '#actors/courier/courier.ts';
import { SimulatedClock } from '#test/kit/simulated-clock.ts';
import type { Mail, MailSettled } from '#actors/protocol/mail.ts';

const HOUR = 3_600_000;

class Bench {
  readonly clock = new SimulatedClock(0);
  readonly sent: string[] = [];
  readonly answers: MailSettled[] = [];
  readonly waits: number[] = [];
  readonly logged: string[] = [];
  /** Attempts that failed, by parcel and number. */
  readonly failures: string[] = [];
  /** What the wire does with a mail; null takes it. */
  fault: (mail: Mail) => Error | null = () => null;
  /** Mails on the wire, when the wire is slow. */
  readonly held: (() => void)[] = [];
  slow = false;
  #timers: { at: number; run: () => void }[] = [];
  readonly courier = new Courier<Mail>({
    clock: this.clock,
    log: { info: () => undefined, warn: (_fields, message) => void this.logged.push(message), error: () => undefined },
    failed: ({ id }, { attempt, final }) => void this.failures.push(`${id} ${attempt}${final ? ' final' : ''}`),
    send: async (mail, forgotten) => {
      this.sent.push(mail.id);
      if (this.slow)
        await new Promise<void>((resolve, reject) => {
          this.held.push(resolve);
          forgotten.addEventListener('abort', () => reject(new Error('aborted')));
        });
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
    this.courier.offer({
      tenantNo: 7,
      tenant: 'a:b:c:d',
      id,
      to: 'a@b.c',
      subject: 's',
      text: 't',
      html: '<p>t</p>',
      expiresAtMs: HOUR,
      ...more,
    });
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
    expect(bench.failures).toEqual(['A 1 final']);
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

  describe('what is forgotten leaves at once, and gets no answer', () => {
    const forget = (bench: Bench): void => bench.courier.forget(({ tenantNo }) => tenantNo === 7);

    test('on the wire: its attempt is ended, and others have its place', async () => {
      const bench = new Bench();
      bench.slow = true;
      for (let i = 0; i < limits.mail.sendingMax; i++) bench.offer(String(i));
      bench.offer('ready');
      bench.offer('other', { tenantNo: 8 });
      forget(bench);
      await settled();
      expect(bench.sent).toEqual(['0', '1', '2', '3', 'other']);
      bench.held.forEach((take) => take());
      await bench.run();
      expect([bench.outcomes, bench.failures, bench.courier.depth]).toEqual([['other sent'], [], 0]);
    });

    test('taken just then: no answer either', async () => {
      const bench = new Bench();
      bench.slow = true;
      bench.offer('A');
      bench.held.forEach((take) => take());
      forget(bench);
      await bench.run();
      expect(bench.answers).toEqual([]);
    });

    test('waiting for another attempt: the wait is called off', async () => {
      const bench = new Bench();
      bench.fault = temporary;
      bench.offer('A');
      bench.offer('B', { tenantNo: 8, expiresAtMs: 3000 });
      await settled();
      expect(bench.timers).toBe(2);
      forget(bench);
      expect(bench.timers).toBe(1);
      await bench.run();
      expect([bench.sent, bench.outcomes]).toEqual([['A', 'B', 'B'], ['B expired']]);
    });
  });
});
