/** One relay between outboxes and a receiver that are both in this thread; each kind travels over its own topics. */
import { describe, expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { Channel } from '#actors/protocol/channel.ts';
import type { AuditParcel } from '#actors/protocol/audit.ts';
import type { Mail, MailOutcome } from '#actors/protocol/mail.ts';
import type { OutboxWish } from '#actors/protocol/outbox.ts';
import { AUDIT, HOOK, MAIL, noticeKind } from '#runtime/relays/kinds.ts';
import { Relay } from '#runtime/relays/relay.ts';
import type { RelayPorts } from '#runtime/relays/relay.ts';
import { pairOfPorts } from '#test/kit/ports.ts';

const settledLoop = async (): Promise<void> => {
  for (let i = 0; i < 4; i++) await new Promise((resolve) => setImmediate(resolve));
};

class Bench {
  /** Tenant → ids in its outbox. */
  readonly outboxes = new Map<number, string[]>();
  readonly wishes: OutboxWish[] = [];
  readonly later: (() => void)[] = [];
  readonly warned: string[] = [];
  /** Asks fail while it is true: the host is gone. */
  hostGone = false;
  /** Tenants that were deleted. */
  readonly deleted = new Set<number>();
  /** Runs while an outbox is asked for mail. */
  meanwhile: () => void = () => undefined;
  readonly host: Channel;
  readonly relay: Relay<Mail, { readonly tenantNo: number; readonly id: string; readonly outcome: MailOutcome }>;

  constructor() {
    const [near, far] = pairOfPorts();
    const source = new Channel(near, 'main', 'tenant-host');
    this.host = new Channel(far, 'tenant-host', 'main');
    this.host.answer('mail.take', (wish) => this.#take(wish));
    this.host.answer('mail.settle', ({ tenantNo, id }) => this.#settle(tenantNo, id));
    this.relay = new Relay(MAIL, {
      source: (tenantNo) => (this.deleted.has(tenantNo) ? null : source),
      after: (_ms, run) => void this.later.push(run),
      log: { info: () => undefined, warn: (_facts, text) => void this.warned.push(text), error: () => undefined },
    });
    this.relay.attachSource(source);
  }

  put(tenantNo: number, ...ids: string[]): void {
    this.outboxes.set(tenantNo, [...(this.outboxes.get(tenantNo) ?? []), ...ids]);
    this.relay.pending(tenantNo);
  }

  courier(): FakeCourier {
    const courier = new FakeCourier();
    this.relay.attachReceiver(courier.near, courier.gone);
    return courier;
  }

  #idsOf(tenantNo: number): string[] {
    if (this.hostGone) throw new Error('the host is gone');
    if (this.deleted.has(tenantNo)) throw new Error('its outbox is gone');
    return this.outboxes.get(tenantNo) ?? [];
  }

  #settle(tenantNo: number, settled: string): null {
    this.outboxes.set(
      tenantNo,
      this.#idsOf(tenantNo).filter((id) => id !== settled),
    );
    return null;
  }

  #take(wish: OutboxWish) {
    const ids = this.#idsOf(wish.tenantNo);
    this.wishes.push(wish);
    this.meanwhile();
    const free = ids.filter((id) => !wish.except.includes(id));
    const parcels = free.slice(0, wish.limit).map((id) => mailOf(wish.tenantNo, id));
    return { parcels, more: free.length > parcels.length };
  }
}

const mailOf = (tenantNo: number, id: string): Mail => ({
  tenantNo,
  tenant: '',
  id,
  to: '',
  subject: '',
  text: '',
  expiresAtMs: 0,
});

class FakeCourier {
  readonly near: Channel;
  readonly far: Channel;
  readonly got: Mail[] = [];
  readonly forgotten: (readonly number[])[] = [];
  die: () => void = () => undefined;
  readonly gone: Promise<void>;

  constructor() {
    const [near, far] = pairOfPorts();
    this.near = new Channel(near, 'main', 'courier');
    this.far = new Channel(far, 'courier', 'main');
    this.far.answer('courier.send', (mails) => {
      this.got.push(...mails);
      return null;
    });
    this.far.answer('courier.forget', (tenantNos) => {
      this.forgotten.push(tenantNos);
      return null;
    });
    this.gone = new Promise((resolve) => {
      this.die = () => {
        this.near.close('died');
        resolve();
      };
    });
  }

  get ids(): string[] {
    return this.got.map(({ tenantNo, id }) => `${tenantNo} ${id}`);
  }

  answer(tenantNo: number, id: string, outcome: MailOutcome = 'sent'): void {
    this.far.tell('courier.settled', { tenantNo, id, outcome });
  }
}

describe('a relay', () => {
  test('hands out what is pending, and has the owner delete what was answered for', async () => {
    const bench = new Bench();
    const courier = bench.courier();
    bench.put(7, 'A', 'B');
    bench.put(8, 'A');
    await settledLoop();
    expect(courier.ids).toEqual(['7 A', '7 B', '8 A']);
    courier.answer(7, 'A');
    courier.answer(8, 'A', 'refused');
    await settledLoop();
    expect([...bench.outboxes]).toEqual([
      [7, ['B']],
      [8, []],
    ]);
  });

  test('what came before there was a courier waits for one', async () => {
    const bench = new Bench();
    bench.put(7, 'A');
    await settledLoop();
    expect(bench.wishes).toEqual([]);
    const courier = bench.courier();
    await settledLoop();
    expect(courier.ids).toEqual(['7 A']);
  });

  test('what the courier holds is not handed out twice', async () => {
    const bench = new Bench();
    const courier = bench.courier();
    bench.put(7, 'A');
    await settledLoop();
    bench.put(7, 'B');
    await settledLoop();
    expect(courier.ids).toEqual(['7 A', '7 B']);
    expect(bench.wishes.at(-1)!.except).toEqual(['A']);
  });

  test('a new courier gets what the dead one had not answered for, and nothing else', async () => {
    const bench = new Bench();
    const first = bench.courier();
    bench.put(7, 'A', 'B');
    await settledLoop();
    first.answer(7, 'A');
    await settledLoop();
    first.die();
    await settledLoop();
    const second = bench.courier();
    await settledLoop();
    expect(second.ids).toEqual(['7 B']);
  });

  test('never more than the courier has room for; the rest follows the answers', async () => {
    const bench = new Bench();
    const courier = bench.courier();
    const max = limits.mail.queueDepthMax;
    bench.put(7, ...Array.from({ length: max + 2 }, (_, no) => String(no)));
    await settledLoop();
    await settledLoop();
    expect(courier.got).toHaveLength(max);
    courier.answer(7, '0');
    await settledLoop();
    await settledLoop();
    expect(courier.got).toHaveLength(max + 1);
  });

  test('an answer that did not reach its owner is given again when the tenant is told of', async () => {
    const bench = new Bench();
    const courier = bench.courier();
    bench.put(7, 'A');
    await settledLoop();
    bench.hostGone = true;
    courier.answer(7, 'A');
    await settledLoop();
    bench.hostGone = false;
    bench.relay.pending(7);
    await settledLoop();
    expect(bench.outboxes.get(7)).toEqual([]);
    expect(courier.ids).toEqual(['7 A']);
  });

  test('an outbox that cannot be reached is asked again a little later', async () => {
    const bench = new Bench();
    const courier = bench.courier();
    bench.hostGone = true;
    bench.put(7, 'A');
    await settledLoop();
    expect(courier.ids).toEqual([]);
    bench.hostGone = false;
    bench.later.forEach((run) => run());
    await settledLoop();
    expect(courier.ids).toEqual(['7 A']);
  });

  test.each([
    { name: 'mail', make: (ports: RelayPorts) => new Relay(MAIL, ports) },
    { name: 'webhooks', make: (ports: RelayPorts) => new Relay(HOOK, ports) },
  ])('$name of a tenant that was deleted is left: no fault, no second try', async ({ make }) => {
    const later: (() => void)[] = [];
    const warned: string[] = [];
    const relay = make({
      source: () => null,
      after: (_ms, run) => void later.push(run),
      log: { info: () => undefined, warn: (_facts, text) => void warned.push(text), error: () => undefined },
    });
    const courier = new FakeCourier();
    relay.attachReceiver(courier.near, courier.gone);
    relay.pending(7);
    await settledLoop();
    expect({ got: courier.got, warned, again: later.length }).toEqual({ got: [], warned: [], again: 0 });
  });

  test('the courier lets go of what it holds of a tenant that is deleted, and of no other', async () => {
    const bench = new Bench();
    const courier = bench.courier();
    bench.put(7, 'A', 'B');
    bench.put(8, 'A');
    await settledLoop();
    bench.relay.tenantsChanged();
    bench.deleted.add(7);
    bench.relay.tenantsChanged();
    await bench.relay.recall();
    expect(new Set(courier.forgotten.flat())).toEqual(new Set([7]));
    const times = courier.forgotten.length;
    bench.relay.tenantsChanged();
    await settledLoop();
    expect(courier.forgotten).toHaveLength(times);
    courier.answer(7, 'A'); // it was on its way
    courier.answer(8, 'A');
    await settledLoop();
    expect(bench.outboxes.get(8)).toEqual([]);
  });

  test('what a tenant’s outbox gave while the tenant was deleted is not handed out', async () => {
    const bench = new Bench();
    const courier = bench.courier();
    bench.meanwhile = () => void bench.deleted.add(7);
    bench.put(7, 'A');
    await settledLoop();
    expect([courier.ids, bench.later]).toEqual([[], []]);
  });

  test('room that a deleted tenant took is its neighbours’ again', async () => {
    const bench = new Bench();
    const courier = bench.courier();
    bench.put(7, ...Array.from({ length: limits.mail.queueDepthMax }, (_, no) => String(no)));
    await settledLoop();
    bench.put(8, 'A');
    await settledLoop();
    expect(courier.ids).not.toContain('8 A');
    bench.deleted.add(7);
    await bench.relay.recall();
    await settledLoop();
    expect(courier.ids.at(-1)).toBe('8 A');
  });

  test('a courier that dies before it has let go holds nothing: a deletion does not wait for it', async () => {
    const bench = new Bench();
    const courier = bench.courier();
    bench.put(7, 'A');
    await settledLoop();
    courier.far.answer('courier.forget', () => new Promise(() => undefined));
    bench.deleted.add(7);
    const recalled = bench.relay.recall();
    courier.die();
    await recalled;
    const second = bench.courier();
    await bench.relay.recall();
    await settledLoop();
    expect([second.ids, second.forgotten, bench.later]).toEqual([[], [], []]);
  });

  test('a courier that cannot let go is told again, and a deletion fails until it can', async () => {
    const bench = new Bench();
    const courier = bench.courier();
    bench.put(7, 'A');
    await settledLoop();
    courier.far.answer('courier.forget', () => Promise.reject(new Error('not now')));
    bench.deleted.add(7);
    bench.relay.tenantsChanged();
    bench.relay.tenantsChanged();
    await expect(bench.relay.recall()).rejects.toThrow('not now');
    courier.far.answer('courier.forget', (tenantNos) => {
      courier.forgotten.push(tenantNos);
      return null;
    });
    expect(bench.later).toHaveLength(1);
    bench.later.forEach((run) => run());
    await settledLoop();
    expect(courier.forgotten).toEqual([[7]]);
  });

  test('a host tells over its channel', async () => {
    const bench = new Bench();
    const courier = bench.courier();
    bench.outboxes.set(9, ['A']);
    bench.host.tell('mail.pending', { tenantNo: 9 });
    await settledLoop();
    expect(courier.ids).toEqual(['9 A']);
  });

  test('an answer whose outbox failed once is given again by itself: the room that it took is free then', async () => {
    const bench = new Bench();
    const courier = bench.courier();
    bench.put(7, 'A');
    await settledLoop();
    bench.hostGone = true;
    courier.answer(7, 'A');
    await settledLoop();
    bench.hostGone = false;
    expect(bench.later).toHaveLength(1);
    bench.later.forEach((run) => run());
    await settledLoop();
    expect([bench.outboxes.get(7), courier.ids]).toEqual([[], ['7 A']]);
  });

  test('a node that stops waits for what is being handed over, and warns of nothing', async () => {
    const bench = new Bench();
    const courier = bench.courier();
    bench.put(7, 'A');
    bench.relay.stop();
    await bench.relay.quiet(1000);
    expect(courier.ids).toEqual(['7 A']);
    bench.hostGone = true;
    courier.answer(7, 'A');
    bench.put(8, 'A');
    await settledLoop();
    expect(bench.warned).toEqual([]);
  });
});

test('a notice is known by its submission and its kind, and is no tenant’s', () => {
  const kind = noticeKind(2);
  expect(kind.placeOf({ id: 'S', kind: 'email', outcome: 'sent' })).toEqual({ tenantNo: 0, id: 'S email' });
});

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
