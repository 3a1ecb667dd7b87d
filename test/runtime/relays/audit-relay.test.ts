/** The relay of events: batches of an outbox to a sealer, both in this thread. */
import { describe, expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { Channel } from '#actors/protocol/channel.ts';
import type { AuditParcel } from '#actors/protocol/audit.ts';
import { AUDIT } from '#runtime/relays/kinds.ts';
import { Relay } from '#runtime/relays/relay.ts';
import { pairOfPorts } from '#test/kit/ports.ts';
import { settledLoop } from './bench.ts';

describe('the relay of events', () => {
  const batch = {
    position: { key: 'a:b:c:d', customer: 'a', product: 'b', env: 'c', tenant: 'd' },
    records: new Uint8Array(1),
  };

  function open() {
    const [near, far] = pairOfPorts();
    const source = new Channel(near, 'main', 'tenant-host');
    const host = new Channel(far, 'tenant-host', 'main');
    const [toSealer, atSealer] = pairOfPorts();
    const sealer = new Channel(atSealer, 'audit-sealer', 'main');
    const later: (() => void)[] = [];
    const settled: [number, number][] = [];
    const waiting = new Map<number, number[]>();
    host.answer('audit.take', ({ tenantNo }) => {
      const [upTo, ...more] = waiting.get(tenantNo) ?? [];
      const parcels: AuditParcel[] = upTo === undefined ? [] : [{ tenantNo, upTo, batch }];
      return { parcels, more: more.length > 0 };
    });
    host.answer('audit.settle', ({ tenantNo, upTo }) => {
      settled.push([tenantNo, upTo]);
      waiting.set(
        tenantNo,
        waiting.get(tenantNo)!.filter((n) => n > upTo),
      );
      return null;
    });
    const relay = new Relay(AUDIT, {
      source: () => source,
      after: (_ms, run) => void later.push(run),
      log: { info: () => undefined, warn: () => undefined, error: () => undefined },
    });
    relay.attachReceiver(new Channel(toSealer, 'main', 'audit-sealer'), new Promise(() => undefined));
    return { relay, sealer, later, settled, waiting };
  }

  test('hands batches over in order, and settles each when it is in the log', async () => {
    const { relay, sealer, settled, waiting } = open();
    sealer.answer('audit.append', () => null);
    waiting.set(7, [3, 5]);
    relay.pending(7);
    await settledLoop();
    expect(settled).toEqual([
      [7, 3],
      [7, 5],
    ]);
  });

  test('a batch that the log refuses settles nothing, and is handed over again', async () => {
    const { relay, sealer, later, settled, waiting } = open();
    let refuses = true;
    sealer.answer('audit.append', () => (refuses ? Promise.reject(new Error('a fork')) : null));
    waiting.set(7, [3]);
    relay.pending(7);
    await settledLoop();
    expect([settled, later.length]).toEqual([[], 1]);
    refuses = false;
    later.forEach((run) => run());
    await settledLoop();
    expect(settled).toEqual([[7, 3]]);
  });

  test('at most so many tenants at once', async () => {
    const { relay, sealer, waiting } = open();
    let appending = 0;
    sealer.answer('audit.append', () => {
      appending++;
      return new Promise<null>(() => undefined);
    });
    for (let no = 1; no <= limits.audit.tenantsPassingMax + 2; no++) {
      waiting.set(no, [1]);
      relay.pending(no);
    }
    await settledLoop();
    expect(appending).toBe(limits.audit.tenantsPassingMax);
  });
});
