/** Main's part of the mail, between an outbox and a courier that are both in this thread. */
import { describe, expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { Channel } from '#actors/protocol/channel.ts';
import type { Mail, MailOutcome, MailTaken, MailWish, Settled } from '#actors/protocol/mail.ts';
import { MAIL, MailRoom, WEBHOOKS } from '#runtime/mail-room.ts';
import { pairOfPorts } from '#test/kit/ports.ts';

const settledLoop = () => new Promise((resolve) => setImmediate(resolve));

class Bench {
  /** Tenant → ids in its outbox. */
  readonly outboxes = new Map<number, string[]>();
  readonly wishes: MailWish[] = [];
  readonly later: (() => void)[] = [];
  /** Asks fail while it is true: the host is gone. */
  hostGone = false;
  /** Tenants that were deleted. */
  readonly deleted = new Set<number>();
  /** Runs while an outbox is asked for mail. */
  meanwhile: () => void = () => undefined;
  readonly room = new MailRoom(MAIL, {
    isThere: (tenantNo) => !this.deleted.has(tenantNo),
    ask: (tenantNo, verb, body) => Promise.resolve().then(() => this.#ask(tenantNo, verb, body)),
    after: (_ms, run) => void this.later.push(run),
    log: { info: () => undefined, warn: () => undefined, error: () => undefined },
  });

  put(tenantNo: number, ...ids: string[]): void {
    this.outboxes.set(tenantNo, [...(this.outboxes.get(tenantNo) ?? []), ...ids]);
    this.room.pending(tenantNo);
  }

  courier(): FakeCourier {
    const courier = new FakeCourier();
    this.room.attachCourier(courier.near, courier.gone);
    return courier;
  }

  #ask(tenantNo: number, verb: string, body: MailWish | { readonly id: string }): unknown {
    if (this.hostGone) throw new Error('the host is gone');
    if (this.deleted.has(tenantNo)) throw new Error('its outbox is gone');
    const ids = this.outboxes.get(tenantNo) ?? [];
    if (verb === 'mail.settle') {
      this.outboxes.set(
        tenantNo,
        ids.filter((id) => id !== (body as Settled).id),
      );
      return null;
    }
    const wish = body as MailWish;
    this.wishes.push(wish);
    this.meanwhile();
    const free = ids.filter((id) => !wish.except.includes(id));
    const mails = free
      .slice(0, wish.limit)
      .map((id): Mail => ({ tenantNo, tenant: '', id, to: '', subject: '', text: '', expiresAtMs: 0 }));
    return { mails, more: free.length > mails.length } satisfies MailTaken;
  }
}

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

describe('the mail room', () => {
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
    bench.room.pending(7);
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
    { name: 'mail', kind: MAIL },
    { name: 'webhooks', kind: WEBHOOKS },
  ])('$name of a tenant that was deleted is left: no fault, no second try', async ({ kind }) => {
    const asked: string[] = [];
    const later: (() => void)[] = [];
    const warned: string[] = [];
    const room = new MailRoom<{ readonly id: string }, { readonly tenantNo: number; readonly id: string }>(kind, {
      isThere: () => false,
      ask: (_tenantNo, verb) => {
        asked.push(verb);
        return Promise.reject(new Error('there is no such outbox'));
      },
      after: (_ms, run) => void later.push(run),
      log: { info: () => undefined, warn: (_facts, text) => void warned.push(text), error: () => undefined },
    });
    const courier = new FakeCourier();
    room.attachCourier(courier.near, courier.gone);
    room.pending(7);
    await settledLoop();
    expect({ asked, warned, again: later.length }).toEqual({ asked: [], warned: [], again: 0 });
  });

  test('the courier lets go of what it holds of a tenant that is deleted, and of no other', async () => {
    const bench = new Bench();
    const courier = bench.courier();
    bench.put(7, 'A', 'B');
    bench.put(8, 'A');
    await settledLoop();
    bench.room.tenantsChanged();
    bench.deleted.add(7);
    bench.room.tenantsChanged();
    await bench.room.recall();
    expect(new Set(courier.forgotten.flat())).toEqual(new Set([7]));
    const times = courier.forgotten.length;
    bench.room.tenantsChanged();
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
    await bench.room.recall();
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
    const recalled = bench.room.recall();
    courier.die();
    await recalled;
    const second = bench.courier();
    await bench.room.recall();
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
    bench.room.tenantsChanged();
    bench.room.tenantsChanged();
    await expect(bench.room.recall()).rejects.toThrow('not now');
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
    const [near, far] = pairOfPorts();
    bench.room.attachHost(new Channel(near, 'main', 'tenant-host'));
    bench.outboxes.set(9, ['A']);
    new Channel(far, 'tenant-host', 'main').tell('mail.pending', { tenantNo: 9 });
    await settledLoop();
    expect(courier.ids).toEqual(['9 A']);
  });
});
