/** The watchdog over pulses and a clock that the test moves: nothing here waits. */
import { expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { SimulatedClock } from '#test/kit/simulated-clock.ts';
import { createPulse, Pulse } from '#actors/host/pulse.ts';
import { Watchdog, type Suspect, type Watched } from '#runtime/supervisor/watchdog.ts';

const { lookMs, toldMs, degradedMs, replaceMs } = limits.watchdog;
const SUSPECT: Suspect = { tenant: 'acme:shop:dev:main', route: 'GET /x/{id}', part: 'id item', requestId: 'r1' };

class Bench {
  readonly clock = new SimulatedClock();
  readonly threads = new Map<string, { watched: { -readonly [K in keyof Watched]: Watched[K] }; pulse: Pulse }>();
  readonly lines: string[] = [];
  readonly stalls: string[] = [];
  readonly degraded = new Map<string, string>();
  readonly replaced: string[] = [];
  readonly strikes: string[] = [];
  readonly asked: string[] = [];
  readonly watchdog: Watchdog;

  constructor(replaceAfterMs = replaceMs) {
    const say = (fields: object, message: string): void => void this.lines.push(`${message} ${JSON.stringify(fields)}`);
    this.watchdog = new Watchdog({
      monotonic: () => this.clock.fine(),
      log: { info: say, warn: say, error: say },
      degraded: {
        report: ({ scope, name, reason }) => void this.degraded.set(`${scope} ${name}`, reason),
        clear: (scope, name) => void this.degraded.delete(`${scope} ${name}`),
      },
      watched: () => [...this.threads.values()].map(({ watched }) => watched),
      suspect: ({ activity, tenantNo }) =>
        activity === 'loop'
          ? { tenant: null, route: null, part: null, requestId: null }
          : { ...SUSPECT, tenant: `t${tenantNo}` },
      stalled: (thread, { tenant }) => void this.stalls.push(`${thread} ${tenant}`),
      replace: (thread, reason) => void this.replaced.push(`${thread}: ${reason}`),
      strike: ({ tenantNo, routeNo }) => void this.strikes.push(`${tenantNo} ${routeNo}`),
      replaceAfterMs,
    });
  }

  start(name: string, isHost = true): Pulse {
    const cells = createPulse();
    const pulse = new Pulse(cells);
    const watched = { name, isHost, pulse: cells, idleMs: 0, ask: () => void this.asked.push(name) };
    this.threads.set(name, { watched, pulse });
    return pulse;
  }

  /** Time goes by while main looks on time; those of `beating` go round. */
  pass(ms: number, ...beating: Pulse[]): void {
    for (let at = 0; at < ms; at += lookMs) {
      this.clock.advance(lookMs);
      for (const pulse of beating) pulse.beat();
      this.watchdog.look();
    }
  }
}

test('a thread that waits for events is well and is not asked, for an hour', () => {
  const bench = new Bench();
  bench.start('host-0');
  for (let i = 0; i < 3_600_000 / lookMs; i++) {
    bench.threads.get('host-0')!.watched.idleMs += lookMs;
    bench.pass(lookMs);
  }
  expect([bench.lines, bench.stalls, bench.asked]).toEqual([[], [], []]);
});

test('a loop that never waits is asked for a beat, once until one comes', () => {
  const bench = new Bench();
  const busy = bench.start('host-0');
  for (let i = 0; i < 100; i++) {
    bench.pass(lookMs);
    if (bench.asked.splice(0).length > 0) busy.beat();
  }
  expect([bench.lines, bench.stalls]).toEqual([[], []]);
  bench.pass(replaceMs);
  expect(bench.asked).toHaveLength(1);
});

test('a mark of work that waits is taken away before it could accuse the work of what comes next', () => {
  const bench = new Bench();
  const pulse = bench.start('host-0');
  bench.pass(lookMs);
  pulse.call(1, 2, 3);
  bench.pass(lookMs);
  const { watched } = bench.threads.get('host-0')!;
  watched.idleMs += lookMs;
  bench.pass(lookMs);
  expect(bench.asked).toEqual(['host-0']);
  pulse.beat();
  bench.pass(lookMs);
  bench.pass(toldMs);
  expect(bench.stalls).toEqual(['host-0 null']);
});

test('a thread that goes round is well, however many turns it takes', () => {
  const bench = new Bench();
  const busy = bench.start('host-0');
  for (let i = 0; i < 1000; i++) {
    busy.call(1, 2, 3);
    busy.rest();
    bench.pass(lookMs);
  }
  bench.pass(60_000, busy);
  expect([bench.lines, bench.stalls, bench.degraded.size, bench.replaced]).toEqual([[], [], 0, []]);
});

test('a host in one turn: logged with tenant, route and part, then degraded, then replaced, each once', () => {
  const bench = new Bench();
  const [stuck, well] = [bench.start('host-0'), bench.start('host-1')];
  bench.pass(1000, stuck, well);
  stuck.call(7, 9, 11);
  bench.pass(toldMs - lookMs, well);
  expect(bench.lines).toEqual([]);
  bench.pass(4 * lookMs, well);
  expect(bench.stalls).toEqual(['host-0 t7']);
  expect(bench.lines).toHaveLength(1);
  for (const text of ['host-0', 't7', 'GET /x/{id}', 'id item', 'r1']) expect(bench.lines[0]).toContain(text);
  expect([bench.degraded.size, bench.watchdog.still.size]).toEqual([0, 0]);
  bench.pass(degradedMs, well);
  expect(bench.degraded.get('host host-0')).toContain('GET /x/{id} (id item) of t7');
  expect(bench.degraded.get('host host-0')).toContain('replaced after 10 s (watchdog.replace_after)');
  expect([...bench.watchdog.still]).toEqual(['host-0']);
  expect(bench.watchdog.quiet.get('host-0')).toBeGreaterThan(degradedMs);
  expect(bench.watchdog.quiet.get('host-1')).toBe(0);
  expect(bench.replaced).toEqual([]);
  bench.pass(replaceMs, well);
  expect(bench.replaced).toEqual(['host-0: it stood still for 10 s in GET /x/{id} (id item) of t7']);
  expect(bench.strikes).toEqual(['7 9']);
  bench.pass(replaceMs, well);
  expect([bench.replaced.length, bench.strikes.length, bench.lines.length]).toEqual([1, 1, 2]);
});

test('one that goes on again is well; the next stall begins anew', () => {
  const bench = new Bench();
  const host = bench.start('host-0');
  bench.pass(lookMs, host);
  host.call(7, 9, 11);
  bench.pass(degradedMs + 4 * lookMs);
  expect(bench.degraded.size).toBe(1);
  host.rest();
  bench.pass(lookMs);
  expect([bench.degraded.size, bench.watchdog.still.size, bench.watchdog.quiet.get('host-0')]).toEqual([0, 0, 0]);
  host.call(7, 9, 12);
  bench.pass(replaceMs - 4 * lookMs);
  expect(bench.replaced).toEqual([]);
  expect(bench.stalls).toHaveLength(2);
});

test('a stopped process, a sleeping machine and a step of the clock accuse no thread', () => {
  const bench = new Bench();
  const host = bench.start('host-0');
  bench.pass(1000, host);
  for (const away of [60_000, 8 * 60 * 60_000, -60_000, 60_000]) {
    bench.clock.advance(away); // nothing ran meanwhile, main neither
    bench.watchdog.look();
    bench.pass(lookMs, host);
  }
  expect([bench.lines, bench.degraded.size, bench.replaced]).toEqual([[], 0, []]);
});

test('a main thread that is late itself adds little to what it sees, so a replacement takes many looks', () => {
  const bench = new Bench();
  const host = bench.start('host-0');
  bench.pass(1000, host);
  host.call(1, 1, 1);
  let looks = 0;
  while (bench.replaced.length === 0) {
    bench.clock.advance(5000);
    bench.watchdog.look();
    looks++;
  }
  expect(looks).toBeGreaterThanOrEqual(replaceMs / limits.watchdog.lookMsMax);
});

test('the thread that takes a place begins well; one that has none any more is forgotten', () => {
  const bench = new Bench();
  bench.start('host-0').call(7, 9, 11);
  bench.pass(replaceMs + 4 * lookMs);
  expect(bench.replaced).toHaveLength(1);
  bench.threads.delete('host-0');
  bench.pass(lookMs);
  expect(bench.watchdog.quiet.size).toBe(0);
  const next = bench.start('host-0');
  bench.pass(5000, next);
  expect([bench.watchdog.still.size, bench.replaced.length]).toEqual([0, 1]);
});

test('other threads are logged and named, and not replaced', () => {
  const bench = new Bench();
  const sealer = bench.start('audit-sealer', false);
  bench.pass(lookMs, sealer);
  bench.pass(60_000);
  expect(bench.stalls).toEqual(['audit-sealer null']);
  expect(bench.degraded.get('thread audit-sealer')).toContain('it is not replaced by itself');
  expect(bench.replaced).toEqual([]);
  bench.pass(lookMs, sealer);
  expect(bench.degraded.size).toBe(0);
});
