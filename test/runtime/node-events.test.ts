/** Events of the node and of the vault on their way to the sealer: numbered, in order, bounded. Contract: docs/contract/audit.md §2.3, docs/contract/vault.md §7.2 (a per-source sequence). */
import { MessageChannel } from 'node:worker_threads';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { SimulatedClock } from '#test/kit/simulated-clock.ts';
import type { AuditEvent, NodeBatch } from '#actors/protocol/audit.ts';
import { Channel } from '#actors/protocol/channel.ts';
import { limits } from '#config/limits.ts';
import { NodeEvents } from '#runtime/node-events.ts';
import { VaultKeeperRoom } from '#runtime/rooms/vault-keeper-room.ts';

/** A sealer that keeps what it is given, or refuses it. */
class Sealer {
  readonly here: Channel;
  readonly batches: NodeBatch[] = [];
  refuses = false;
  /** What the logs held before. */
  last = 0;
  gone: () => void = () => undefined;
  readonly isGone = new Promise<void>((resolve) => (this.gone = resolve));

  constructor() {
    const [here, there] = pair('audit-sealer');
    this.here = here;
    there.answer('audit.last', () => this.last);
    there.answer('audit.record', (batch) => {
      if (this.refuses) throw new Error('rollback');
      this.batches.push(batch);
      return null;
    });
  }

  get events(): [string, string, number][] {
    return this.batches.flatMap(({ log, events }) =>
      events.map(({ action, source_seq }): [string, string, number] => [log, action, source_seq]),
    );
  }
}

/** Main's end of a channel, and that of the thread. */
function pair(child: 'audit-sealer' | 'vault-keeper'): [Channel, Channel] {
  const { port1, port2 } = new MessageChannel();
  onTestFinished(() => port1.close());
  return [new Channel(port1, 'main', child), new Channel(port2, child, 'main')];
}

let later: (() => void)[];
beforeEach(() => {
  later = [];
});

const make = (enabled = true) =>
  new NodeEvents({
    enabled,
    clock: new SimulatedClock(),
    log: { info: () => undefined, warn: () => undefined, error: () => undefined },
    after: (_ms, run) => void later.push(run),
  });

const event = (action: string) => ({
  ts: '2026-01-01T00:00:00.000Z',
  actor: 'internal',
  action,
  target: '',
  outcome: 'ok',
  request_id: '',
  data: {},
});

test('events wait for the sealer, and are numbered after what the log holds', async () => {
  const events = make();
  events.platform('platform.node.start', 'skep', { hosts: 1 });
  events.record('node/intake', 'intake', event('intake.log.rotate'));
  const sealer = new Sealer();
  sealer.last = 7;
  events.attachSealer(sealer.here, sealer.isGone);
  events.platform('platform.node.stop', 'skep', {});
  await events.settle(1);
  expect(sealer.events.toSorted(([a], [b]) => a.localeCompare(b))).toEqual([
    ['node/intake', 'intake.log.rotate', 8],
    ['node/platform', 'platform.node.start', 8],
    ['node/platform', 'platform.node.stop', 9],
  ]);
});

test('a sealer that refuses or dies is asked again: the same numbers, once and in order', async () => {
  const events = make();
  const first = new Sealer();
  first.refuses = true;
  events.attachSealer(first.here, first.isGone);
  events.platform('platform.one', '', {});
  await expect.poll(() => later.length).toBe(1);
  first.gone();
  await first.isGone;
  later.shift()!();
  events.platform('platform.two', '', {});
  expect(first.events).toEqual([]);
  const second = new Sealer();
  events.attachSealer(second.here, second.isGone);
  await events.settle(1);
  expect(second.events).toEqual([
    ['node/platform', 'platform.one', 1],
    ['node/platform', 'platform.two', 2],
  ]);
});

test('what finds the queue full is dropped and counted, and leaves a gap in the numbers', async () => {
  const events = make();
  const { nodeEventsMax } = limits.audit;
  for (let no = 1; no <= nodeEventsMax + 3; no++) events.platform(`platform.${no}`, '', {});
  expect(events.dropped).toBe(3);
  const sealer = new Sealer();
  events.attachSealer(sealer.here, sealer.isGone);
  await events.settle(1);
  events.platform('platform.after', '', {});
  await events.settle(1);
  expect(sealer.events).toHaveLength(nodeEventsMax + 1);
  expect(sealer.events.at(-1)).toEqual(['node/platform', 'platform.after', nodeEventsMax + 4]);
});

test('where nothing is recorded nothing is kept, and no call waits', async () => {
  const events = make(false);
  events.platform('platform.node.start', '', {});
  await events.settle(1);
  expect(await events.hand({ log: 'vault/_global', events: [] })).toBe(false);
  expect(await events.last('vault/_global', 'vault:1')).toBeNull();
});

test('the vault hands over events that it has numbered; true when they are durable, and only for its own logs', async () => {
  const events = make();
  const [main, vault] = pair('vault-keeper');
  const threads = { channel: () => main, startAhead: () => Promise.resolve() };
  new VaultKeeperRoom({ threads, events, published: () => undefined }).attach({ channel: main });
  const read: AuditEvent = { ...event('secret.read'), source: 'vault:sid-1', source_seq: 12 };
  const batch: NodeBatch = { log: 'vault/dc1/main/acme', events: [read] };
  await expect(vault.ask('audit.hand', batch)).rejects.toThrow('the audit sealer is away');
  const sealer = new Sealer();
  sealer.last = 11;
  events.attachSealer(sealer.here, sealer.isGone);
  expect(await vault.ask('audit.resume', { log: batch.log, source: 'vault:sid-1' })).toBe(11);
  expect(await vault.ask('audit.hand', batch)).toBe(true);
  expect(sealer.events).toEqual([['vault/dc1/main/acme', 'secret.read', 12]]);
  sealer.refuses = true;
  await expect(vault.ask('audit.hand', batch)).rejects.toThrow('rollback');
  for (const log of ['node/platform', 'tenant/acme/shop/dev/main', 'vault'])
    await expect(vault.ask('audit.hand', { ...batch, log })).rejects.toThrow('the vault has no log');
});
