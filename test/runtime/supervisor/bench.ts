/** A supervisor whose threads are channels in this one. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Platform } from '#config/platform.ts';
import { SimulatedClock } from '#test/kit/simulated-clock.ts';
import { createPulse } from '#actors/host/pulse.ts';
import { Channel } from '#actors/protocol/channel.ts';
import { topicsBetween, type HostOpen, type TenantEntry } from '#actors/protocol/topics.ts';
import type { ChildRow } from '#runtime/supervisor/children.ts';
import { TenantHostRoom } from '#runtime/rooms/tenant-host-room.ts';
import type { ThreadRoom } from '#runtime/supervisor/room.ts';
import { Shared } from '#runtime/supervisor/shared.ts';
import { Supervisor } from '#runtime/supervisor/supervisor.ts';
import type { Thread } from '#runtime/supervisor/thread.ts';
import { pairOfPorts } from '#test/kit/ports.ts';
import { unasked } from '#test/kit/unasked.ts';

const dirs: string[] = [];

/** Removes the directories of every bench so far. */
export function removeDirs(): void {
  for (const dir of dirs.splice(0)) rmSync(dir, { recursive: true, force: true });
}

export const NONE: ReadonlySet<string> = new Set();

/** A thread whose far side is in this one. */
export class FakeThread implements Thread {
  readonly row: ChildRow;
  readonly channel: Channel;
  readonly gone: Promise<string>;
  readonly pulse = createPulse();
  readonly idleMs = 0;
  readonly far: Channel;
  readonly opened: HostOpen[] = [];
  tenants: readonly TenantEntry[] = [];
  /** How often it was told of a ring. */
  rings = 0;
  /** Held back until it resolves. */
  opening: Promise<void> = Promise.resolve();
  draining: Promise<void> = Promise.resolve();
  sealing: Promise<void> = Promise.resolve();
  isKilled = false;
  /** Checkouts of which it was told while it waited; null where it was not. */
  awaited: readonly string[] | null = null;
  /** Held back until it resolves. */
  loading: Promise<void> = Promise.resolve();
  readonly #end: (reason: string) => void;

  constructor(row: ChildRow, told: string[]) {
    const [near, far] = pairOfPorts();
    this.row = row;
    this.channel = new Channel(near, 'main', row.name);
    this.far = new Channel(far, row.name, 'main');
    let end: (reason: string) => void = () => undefined;
    this.gone = new Promise((resolve) => (end = resolve));
    this.#end = end;
    if (row.name === 'tenant-host') this.#answerAsHost(told);
    if (row.name === 'audit-sealer') this.far.answer('host.ring', () => null);
    if (row.name === 'intake-writer') {
      this.far.answer('intake.open', () => {
        told.push('open intake-writer');
        return { replayed: 0 };
      });
    }
    for (const topic of ['audit.open', 'vault.open', 'host.trust', 'thread.retire'] as const)
      if (topicsBetween('main', row.name).has(topic)) this.far.answer(topic, () => null);
    this.far.answer('thread.await', async (checkouts) => {
      this.awaited = checkouts;
      await this.loading;
      return null;
    });
    this.far.answer('thread.drain', async () => {
      told.push(`drain ${row.name}`);
      await this.draining;
      return null;
    });
  }

  #answerAsHost(told: string[]): void {
    this.far.answer('host.open', async (body) => {
      this.opened.push(body);
      this.tenants = body.tenants;
      mkdirSync(join(dirs.at(-1)!, 'journal', `${String(body.epoch).padStart(10, '0')}-host-${body.host}`));
      await this.opening;
      told.push(`open ${this.row.name} ${body.host}`);
      return { openMs: 0, stopped: [] };
    });
    this.far.answer('actor.ask', ({ verb }) => {
      told.push(`${verb} ${this.opened.at(-1)?.host}`);
      return null;
    });
    this.far.answer('host.seal', async () => {
      told.push(`seal ${this.opened.at(-1)?.host}`);
      await this.sealing;
      return null;
    });
    this.far.answer('host.ring', () => {
      this.rings++;
      return null;
    });
    this.far.answer('host.changed', ({ put, gone }) => {
      const left = this.tenants.filter(({ no }) => !gone.includes(no) && !put.some((tenant) => tenant.no === no));
      this.tenants = [...left, ...put];
      return null;
    });
    this.far.answer('host.tenants', (tenants) => {
      this.tenants = tenants;
      return null;
    });
  }

  kill(): Promise<void> {
    this.isKilled = true;
    this.die('killed');
    return Promise.resolve();
  }

  die(reason: string): void {
    this.channel.close(reason);
    this.#end(reason);
  }
}

export class Bench {
  readonly told: string[] = [];
  readonly threads: FakeThread[] = [];
  readonly lost: string[] = [];
  readonly gaveUp: string[] = [];
  readonly degraded = new Map<string, string>();
  readonly reported: string[] = [];
  readonly reasons: string[] = [];
  readonly clock = new SimulatedClock();
  readonly supervisor: Supervisor;
  readonly hosts: TenantHostRoom;
  /** What rooms of single threads were told, in order. */
  readonly rooms: string[] = [];
  restarts = 0;
  /** Threads of other nodes. */
  readonly adopted: Thread[] = [];

  /** `shards`: of a log; null where files acknowledge. */
  constructor(hosts: number, identity: object = {}, more: object = {}, shards: number | null = null) {
    const dir = mkdtempSync(join(tmpdir(), 'skep-supervisor-'));
    dirs.push(dir);
    mkdirSync(join(dir, 'journal'));
    const shared = new Shared();
    const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };
    this.supervisor = new Supervisor(
      {
        platform: {
          hosts,
          storage: { dir, journal: { driver: shards === null ? 'file' : 'postgres' } },
          identity,
          intake: { notify: { enabled: false } },
          audit: { enabled: false },
          telemetry: {},
          hives: { tenant: [] },
          content: { contentsource: { type: 'meta' } },
          vault: { enabled: false },
          backups: {},
          service: null,
          ...more,
        } as unknown as Platform,
        clock: this.clock,
        log: quiet,
        shared,
        room: (name) => (name === 'tenant-host' ? this.hosts : this.#roomOf(name)),
        degraded: {
          report: ({ scope, name, reason }) => {
            this.degraded.set(`${scope} ${name}`, reason);
            this.reported.push(`${scope} ${name}`);
            this.reasons.push(reason);
          },
          clear: (scope, name) => void this.degraded.delete(`${scope} ${name}`),
        },
        spawn: (row) => {
          const thread = new FakeThread(row, this.told);
          this.threads.push(thread);
          return thread;
        },
        replies: () => undefined,
        adopted: (thread) => void this.adopted.push(thread),
        lost: (desk) => void this.lost.push(desk.name),
        restarted: () => void this.restarts++,
        giveUp: (reason) => void this.gaveUp.push(reason),
      },
      0,
      shards,
    );
    this.hosts = new TenantHostRoom({
      threads: this.supervisor,
      shared,
      vault: { tenantSecret: unasked },
      sealer: {
        tellKeys: () => Promise.resolve(void this.rooms.push('keys')),
        tellSuspended: () => Promise.resolve(),
      },
      ask: unasked,
      confirm: () => Promise.resolve(true),
      relay: unasked,
    });
  }

  #roomOf(name: ChildRow['name']): ThreadRoom {
    return {
      attach: () => void this.rooms.push(`${name} attached`),
      opened: () => Promise.resolve(void this.rooms.push(`${name} opened`)),
      draining: () => Promise.resolve(void this.rooms.push(`${name} draining`)),
    };
  }

  /** The newest thread of a kind. */
  newest(name: ChildRow['name']): FakeThread {
    return this.threads.findLast((thread) => thread.row.name === name)!;
  }

  serving(host: number): FakeThread {
    return this.threads.findLast((thread) => thread.opened.at(-1)?.host === host)!;
  }

  async untilReady(): Promise<void> {
    await expect.poll(() => [this.supervisor.isServing(NONE), this.degraded.size], { interval: 1 }).toEqual([true, 0]);
  }
}
