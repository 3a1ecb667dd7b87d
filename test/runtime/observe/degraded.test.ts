/** Degraded things: set and cleared by key, bounded, each change logged once; entries that concern all. */
import { expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { SimulatedClock } from '#test/kit/simulated-clock.ts';
import { Channel } from '#actors/protocol/channel.ts';
import type { DegradedReport } from '#actors/protocol/degraded.ts';
import { DegradedRegistry, degradedOver } from '#runtime/observe/degraded.ts';
import { Meter } from '#runtime/observe/meter.ts';
import { createMetricTable } from '#runtime/observe/metric-table.ts';
import { scrapeText } from '#runtime/observe/scrape.ts';
import { pairOfPorts } from '#test/kit/ports.ts';

const { perScopeMax, perTenantMax, nameCharsMax, reasonCharsMax, logLinesMax, logWindowMs } = limits.degraded;

class Bench {
  readonly clock = new SimulatedClock();
  readonly lines: (readonly [level: string, message: string, fields: Record<string, unknown>])[] = [];
  readonly #table = createMetricTable(1);
  readonly registry: DegradedRegistry;

  constructor() {
    const at = (level: string) => (fields: object, message: string) =>
      void this.lines.push([level, message, fields as Record<string, unknown>]);
    const log = { info: at('info'), warn: at('warn'), error: at('error') };
    this.registry = new DegradedRegistry({ clock: this.clock, log, meter: new Meter(this.#table, 0) });
  }

  metric(name: string): number {
    const line = scrapeText(this.#table, ['main'], [])
      .split('\n')
      .find((text) => text.startsWith(`${name} `));
    return Number(line!.split(' ')[1]);
  }
}

const log = (name: string, more: Partial<DegradedReport> = {}): DegradedReport => ({
  scope: 'log',
  name,
  reason: 'a checkpoint does not fit',
  lasts: 'cleared',
  ...more,
});

test('an entry stands from its first report until it is cleared; a repetition keeps its beginning and logs nothing', () => {
  const it = new Bench();
  it.registry.report(log('node/vault'));
  it.clock.advance(5000);
  it.registry.report(log('node/vault'));
  expect(it.registry.list()).toEqual([
    { scope: 'log', name: 'node/vault', reason: 'a checkpoint does not fit', since: '2026-01-01T00:00:00.000Z' },
  ]);
  expect(it.metric('skep_degraded{scope="log"}')).toBe(1);
  it.registry.report(log('node/vault', { reason: 'its disk is gone' }));
  expect(it.registry.list()[0]).toMatchObject({ reason: 'its disk is gone', since: '2026-01-01T00:00:00.000Z' });
  it.registry.clear('log', 'node/vault');
  it.registry.clear('log', 'node/vault');
  it.registry.clear('host', 'host-9');
  expect(it.registry.list()).toEqual([]);
  expect(it.metric('skep_degraded{scope="log"}')).toBe(0);
  expect(it.lines.map(([level, message]) => [level, message])).toEqual([
    ['warn', 'degraded'],
    ['warn', 'degraded'],
    ['info', 'no longer degraded'],
  ]);
  expect(it.lines[2]![2]).toMatchObject({ scope: 'log', name: 'node/vault', lasted_ms: 5000 });
});

test('only what concerns all makes the node unready', () => {
  const it = new Bench();
  it.registry.report(log('node/vault'));
  expect(it.registry.concernsAll).toBe(false);
  it.registry.report({ scope: 'disk', name: '/data', reason: 'full', concerns: 'all', lasts: 'cleared' });
  expect(it.registry.concernsAll).toBe(true);
  expect(it.registry.list()[1]).toMatchObject({ scope: 'disk', concerns: 'all' });
  it.registry.report({ scope: 'disk', name: '/data', reason: 'full', lasts: 'cleared' });
  expect(it.registry.concernsAll).toBe(false);
});

test('a scope and a tenant have so much room; what finds none is counted, and reported once', () => {
  const it = new Bench();
  for (let i = 0; i < perTenantMax + 3; i++) it.registry.report(log(`part ${i}`, { scope: 'part', tenant: 'a:b:c:d' }));
  expect(it.registry.list()).toHaveLength(perTenantMax);
  for (let i = 0; i < perScopeMax + 3; i++) it.registry.report(log(`of others ${i}`, { scope: 'part' }));
  expect(it.registry.list()).toHaveLength(perScopeMax);
  it.registry.report(log('node/vault'));
  expect(it.registry.list()).toHaveLength(perScopeMax + 1);
  const refused = 3 + perTenantMax + 3;
  expect([it.registry.unlisted, it.metric('skep_degraded_unlisted_total')]).toEqual([refused, refused]);
  expect(it.lines.filter(([, message]) => message.includes('list of degraded things is full'))).toHaveLength(1);
  for (const { scope, name } of it.registry.list()) it.registry.clear(scope, name);
  expect(it.registry.unlisted).toBe(0);
});

test('names and reasons are cut, and a cut name is cleared by its whole', () => {
  const it = new Bench();
  const name = 'n'.repeat(nameCharsMax + 1);
  it.registry.report(log(name, { reason: 'r'.repeat(reasonCharsMax + 1) }));
  const [entry] = it.registry.list();
  expect([entry!.name.length, entry!.reason.length]).toEqual([nameCharsMax, reasonCharsMax]);
  it.registry.clear('log', name);
  expect(it.registry.list()).toEqual([]);
});

test('what comes and goes all the time fills no log: the rest of a window is counted', () => {
  const it = new Bench();
  for (let i = 0; i < logLinesMax; i++) {
    it.registry.report(log('flapping'));
    it.registry.clear('log', 'flapping');
  }
  expect(it.lines).toHaveLength(logLinesMax);
  it.clock.advance(logWindowMs);
  it.registry.report(log('flapping'));
  expect(it.lines.at(-2)).toEqual(['warn', expect.stringContaining('left out of the log'), { left_out: logLinesMax }]);
  expect(it.lines.at(-1)![1]).toBe('degraded');
});

test('a thread reports over its channel; what was in its memory goes with it, what is on the disk stays', async () => {
  const it = new Bench();
  const [near, far] = pairOfPorts();
  const ended = Promise.withResolvers<string>();
  it.registry.attach(new Channel(near, 'main', 'tenant-host'), ended.promise);
  const thread = degradedOver(new Channel(far, 'tenant-host', 'main'));
  thread.report(log('acme:dev:shop:main', { scope: 'tenant', lasts: 'thread', tenant: 'acme:dev:shop:main' }));
  thread.report(log('tenant/acme/dev/shop/main'));
  await expect.poll(() => it.registry.list().length, { interval: 1 }).toBe(2);
  it.registry.report(log('host-0', { scope: 'host', lasts: 'thread' }));
  ended.resolve('a drill');
  await expect.poll(() => it.registry.list().map(({ scope }) => scope), { interval: 1 }).toEqual(['host', 'log']);
  thread.clear('log', 'tenant/acme/dev/shop/main');
  await expect.poll(() => it.registry.list().length, { interval: 1 }).toBe(1);
});

test('what a tenant had goes with the tenant', () => {
  const it = new Bench();
  it.registry.report(log('a:b:c:d rest/item', { scope: 'part', tenant: 'a:b:c:d' }));
  it.registry.report(log('a:b:c:e rest/item', { scope: 'part', tenant: 'a:b:c:e' }));
  it.registry.forgetTenant('a:b:c:d');
  expect(it.registry.list().map(({ name }) => name)).toEqual(['a:b:c:e rest/item']);
});
