/** How counts reach the control plane, and what a failure costs. Contract: docs/contract/tenants.md §2. */
import { expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { Work } from '#actors/host/work.ts';
import { deleteMonth } from '#actors/identity/usage/store.ts';
import { usageAsks } from '#actors/identity/usage/asks.ts';
import type { TenantEntry } from '#actors/protocol/topics.ts';
import { parsePosition } from '#actors/protocol/position.ts';
import type { HostUsage, Quota } from '#actors/protocol/usage.ts';
import { UsageKeeper } from '#runtime/usage/usage-keeper.ts';
import { UsageMeter } from '#runtime/usage/usage-meter.ts';
import { World } from '#test/kit/identity-call.ts';

const DAY = 86_400_000;

class Node {
  readonly plane = new World({ position: 'superadmin:superadmin:superadmin:superadmin' });
  now = Date.parse('2026-11-25T10:00:00Z');
  failures = 0;
  /** What each host answers when it is asked next. */
  hosts: Promise<readonly HostUsage[]>[] = [];
  readonly allowed: unknown[] = [];
  readonly entries: TenantEntry[] = [];
  readonly warnings: string[] = [];
  meter = new UsageMeter(() => this.now);
  keeper = this.#keeper();

  #keeper(): UsageKeeper {
    const log = { info() {}, error() {}, warn: (_facts: object, text: string) => void this.warnings.push(text) };
    return new UsageKeeper({
      meter: this.meter,
      hosts: () => this.hosts.splice(0),
      allowOutside: async (lefts) => void this.allowed.push(lefts),
      tenants: { all: () => this.entries, byNo: (no) => this.entries.find((entry) => entry.no === no) },
      now: () => this.now,
      log,
      control: async (verb, body) => {
        if (this.failures-- > 0) throw new Error('the control plane is gone');
        const work = new Work(this.plane.activation);
        const answer = usageAsks[verb as keyof typeof usageAsks](work, body as never);
        work.commit();
        return answer;
      },
    });
  }

  /** A crash: what was in memory is gone. */
  async restart(): Promise<void> {
    this.meter = new UsageMeter(() => this.now);
    this.keeper = this.#keeper();
    await this.keeper.start();
  }

  use(name: string, times = 1, requests?: number): boolean {
    const position = parsePosition(`a:b:c:${name}`)!;
    const quota = requests === undefined ? {} : { quota: { requests } };
    for (let i = 0; i < times; i++)
      if (this.meter.request({ localdir: '/p', position, ...quota }) !== null) return false;
    return true;
  }

  add(no: number, name: string, quota: Quota = {}, localdir: string | null = '/p'): void {
    const position = parsePosition(`a:b:c:${name}`)!;
    this.entries.push({ no, position, shard: 0, state: 'active', localdir, quota });
  }

  async told(tenant: string | null = null, from = '2026-11-01', to = '2026-11-31') {
    const rows = await this.keeper.read({ tenant, from, to });
    return rows.map((row) => [row.day.slice(5), row.tenant.split(':')[3], row.requests]);
  }
}

test('counts of several flushes are added up, by day and tenant', async () => {
  const node = new Node();
  node.use('two', 2);
  await node.keeper.flush();
  node.use('one', 3);
  node.use('two');
  node.now += DAY;
  node.use('one');
  expect(await node.told()).toEqual([
    ['11-25', 'one', 3],
    ['11-25', 'two', 3],
    ['11-26', 'one', 1],
  ]);
  expect(await node.told('a:b:c:one')).toHaveLength(2);
  expect(await node.told(null, '2026-12-01', '2026-12-31')).toEqual([]);
});

test('a crash loses what was not flushed, and a quota refuses no earlier for it', async () => {
  const node = new Node();
  node.use('one', 3, 5);
  await node.keeper.flush();
  node.use('one', 1, 5);
  await node.restart();
  expect([node.use('one', 2, 5), node.use('one', 1, 5)]).toEqual([true, false]);
  expect(await node.told()).toEqual([['11-25', 'one', 5]]);
});

test('a flush that is not answered is not repeated, the log says so, and the next one goes on', async () => {
  const node = new Node();
  node.use('one', 3);
  node.failures = 1;
  await node.keeper.flush();
  expect(node.warnings).toEqual([expect.stringContaining('is not counted again')]);
  node.use('one');
  expect(await node.told()).toEqual([['11-25', 'one', 1]]);
});

test('more tenants than one turn takes, page by page', async () => {
  const node = new Node();
  const many = limits.usage.pageRows * 2 + 1;
  for (let i = 0; i < many; i++) node.use(`t${i}`);
  expect(await node.told()).toHaveLength(many);
  await node.restart();
  expect(node.use('t7', 1, 1)).toBe(false);
});

test('records are kept for 400 days', async () => {
  const node = new Node();
  node.use('one');
  await node.keeper.flush();
  node.now += limits.usage.keptDays * DAY;
  node.use('one');
  expect(await node.told()).toHaveLength(1);
  node.now += DAY;
  node.use('one');
  await node.keeper.flush();
  expect(await node.told(), 'of November 2026').toEqual([]);
});

const heard = (tenantNo: number, processorMs: number, outsideCalls: number, rows = 0): HostUsage => ({
  tenantNo,
  processorMs,
  outsideCalls,
  kept: { rows, bytes: 10 * rows },
  fileBytes: null,
});

test('what hosts report is counted once, planes and unknown tenants are not, and hosts are told what is left', async () => {
  const node = new Node();
  node.add(7, 'one', { outside_calls: 10, outside_calls_month: 12 });
  node.add(8, 'two');
  node.add(9, 'superadmin', {}, null);
  node.hosts = [
    Promise.resolve([heard(7, 40, 4, 3), heard(9, 9, 9)]),
    Promise.resolve([heard(8, 5, 0), heard(99, 1, 1)]),
  ];
  await node.keeper.flush();
  node.hosts = [Promise.resolve([heard(7, 2, 3, 1)]), Promise.reject(new Error('gone'))];
  await node.keeper.flush();
  expect(node.allowed).toEqual([[{ tenantNo: 7, shard: 0, left: 6 }], [{ tenantNo: 7, shard: 0, left: 3 }]]);
  const rows = await node.keeper.read({ tenant: null, from: '2026-11-25', to: '2026-11-25' });
  expect(rows).toMatchObject([
    { tenant: 'a:b:c:one', processor_ms: 42, outside_calls: 7, rows: 3, bytes: 30 },
    { tenant: 'a:b:c:two', processor_ms: 5, outside_calls: 0 },
  ]);
});

test('a host that stands still holds up no flush, and counts when it answers', async () => {
  const node = new Node();
  node.add(7, 'one');
  let answer: (rows: HostUsage[]) => void = () => undefined;
  node.hosts = [new Promise((resolve) => (answer = resolve))];
  node.use('two', 1);
  await node.keeper.flush();
  expect(await node.told()).toEqual([['11-25', 'two', 1]]);
  answer([heard(7, 40, 0)]);
  expect(await node.keeper.read({ tenant: 'a:b:c:one', from: '2026-11-25', to: '2026-11-25' })).toMatchObject([
    { processor_ms: 40 },
  ]);
});

test('a month is known after a restart, also where its first days were stored before months had records', async () => {
  const node = new Node();
  node.use('one', 3);
  await node.keeper.flush();
  node.now += DAY;
  await node.restart();
  const month = { requests_month: 4 };
  expect(node.meter.left('a:b:c:one', 'requests', month)).toBe(1);
  const work = new Work(node.plane.activation);
  deleteMonth(work.turn(), { month: '2026-11', tenant: 'a:b:c:one' });
  work.commit();
  await node.restart();
  expect(node.meter.left('a:b:c:one', 'requests', month)).toBe(4);
  node.use('one');
  await node.keeper.flush();
  expect(node.meter.left('a:b:c:one', 'requests', month), 'found with the first flush').toBe(0);
  await node.restart();
  expect(node.meter.left('a:b:c:one', 'requests', month)).toBe(0);
});
