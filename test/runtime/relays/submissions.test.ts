/** The relay of submissions: intake and hosts in this thread, a directory that a test changes. docs/contract/intake.md §3.6 */
import { beforeEach, expect, test } from 'vitest';
import { Channel } from '#actors/protocol/channel.ts';
import { parsePosition } from '#actors/protocol/position.ts';
import type { ActorAsk, TenantEntry } from '#actors/protocol/topics.ts';
import { SubmissionRelay } from '#runtime/relays/submissions.ts';
import { pairOfPorts } from '#test/kit/ports.ts';
import { settledLoop } from './bench.ts';

const entryOf = (no: number, name: string, more: Partial<TenantEntry> = {}): TenantEntry => ({
  no,
  position: parsePosition(`acme:desk:dev:${name}`)!,
  shard: no,
  state: 'active',
  localdir: '/p',
  ...more,
});
const keyOf = (name: string): string => `acme:desk:dev:${name}`;

let tenants: Map<number, TenantEntry>;
/** Ids that wait at intake, by tenant. */
let waiting: Map<string, string[]>;
let settled: string[];
let arrived: string[];
let later: (() => void)[];
let warned: string[];
let refusing: Set<number>;
let writer: Channel;
let relay: SubmissionRelay;

function startWriter(): {
  readonly near: Channel;
  readonly far: Channel;
  readonly gone: Promise<void>;
  die: () => void;
} {
  const [near, far] = pairOfPorts();
  const writerEnd = new Channel(far, 'intake-writer', 'main');
  writerEnd.answer('submission.take', ({ tenant, limit }) => {
    const ids = waiting.get(tenant) ?? [];
    const taken = ids.slice(0, limit);
    const one = { form: 'contact', received_at: '', fields: {}, person: '', until_ms: null };
    return { submissions: taken.map((id) => ({ id, ...one })), more: ids.length > taken.length };
  });
  writerEnd.answer('submission.settle', ({ tenant, ids }) => {
    settled.push(...ids);
    const left = (waiting.get(tenant) ?? []).filter((id) => !ids.includes(id));
    waiting.set(tenant, left);
    return { waiting: left.length };
  });
  const channel = new Channel(near, 'main', 'intake-writer');
  let die = (): void => undefined;
  const gone = new Promise<void>((resolve) => {
    die = () => {
      channel.close('died');
      resolve();
    };
  });
  return { near: channel, far: writerEnd, gone, die };
}

beforeEach(() => {
  tenants = new Map([1, 2].map((no) => [no, entryOf(no, `t${no}`)]));
  waiting = new Map();
  [settled, arrived, later, warned, refusing] = [[], [], [], [], new Set()];
  const hosts = new Map<number, Channel>();
  const hostOf = (shard: number): Channel => {
    const before = hosts.get(shard);
    if (before !== undefined) return before;
    const [near, far] = pairOfPorts();
    new Channel(far, 'tenant-host', 'main').answer('actor.ask', ({ tenantNo, service, verb, body }: ActorAsk) => {
      if (refusing.has(tenantNo)) throw new Error('the tenant keeps as many as it may');
      const { submissions } = body as { submissions: readonly { id: string }[] };
      arrived.push(...submissions.map(({ id }) => `${tenantNo} ${service} ${verb} ${id}`));
      return null;
    });
    const host = new Channel(near, 'main', 'tenant-host');
    hosts.set(shard, host);
    return host;
  };
  const get = (key: string): TenantEntry | undefined =>
    [...tenants.values()].find(({ position }) => position.key === key);
  relay = new SubmissionRelay({
    directory: { get, byNo: (no) => tenants.get(no) },
    hostOf,
    after: (_ms, run) => void later.push(run),
    log: { info: () => undefined, error: () => undefined, warn: (_facts, text) => void warned.push(text) },
  });
  const started = startWriter();
  writer = started.far;
  relay.attachWriter(started.near, started.gone);
});

async function put(name: string, ...ids: string[]): Promise<void> {
  waiting.set(keyOf(name), [...(waiting.get(keyOf(name)) ?? []), ...ids]);
  writer.tell('submission.pending', { tenants: [keyOf(name)] });
  await untilQuiet();
}
async function untilQuiet(): Promise<void> {
  for (let i = 0; i < 20; i++) await settledLoop();
}
const again = async (): Promise<void> => {
  for (const run of later.splice(0)) run();
  await untilQuiet();
};

test('what waits reaches the data actor of its tenant in order, then its entry goes', async () => {
  await put('t1', 'a', 'b');
  await put('t2', 'c');
  expect(arrived).toEqual(['1 data submissions.take a', '1 data submissions.take b', '2 data submissions.take c']);
  expect(settled).toEqual(['a', 'b', 'c']);
});

test('more than one delivery carries leaves in several', async () => {
  const ids = Array.from({ length: 150 }, (_, at) => `s${at}`);
  await put('t1', ...ids);
  expect(settled).toEqual(ids);
});

test('a tenant that takes none keeps its own waiting, no other’s, and gets them later', async () => {
  refusing.add(1);
  await put('t1', 'a');
  await put('t2', 'b');
  expect([arrived, settled]).toEqual([['2 data submissions.take b'], ['b']]);
  expect(warned).toHaveLength(1);
  refusing.clear();
  await again();
  expect(settled).toEqual(['b', 'a']);
});

test.each([
  ['suspended', { standing: 'suspended' }],
  ['read-only', { standing: 'read-only' }],
  ['moving', { state: 'moving' }],
  ['not provisioned', { state: 'registered' }],
] as const)('one that is %s keeps its own waiting until the directory says otherwise', async (_what, more) => {
  tenants.set(1, entryOf(1, 't1', more));
  await put('t1', 'a');
  await again();
  expect([arrived, settled, warned]).toEqual([[], [], []]);
  tenants.set(1, entryOf(1, 't1'));
  relay.tenantsChanged();
  await untilQuiet();
  expect(settled).toEqual(['a']);
});

test('one that this node does not have is named in the log, and gets them when it is made', async () => {
  await put('t3', 'a');
  expect(arrived).toEqual([]);
  await again();
  expect(warned).toEqual([expect.stringContaining('a tenant that this node does not have')]);
  tenants.set(3, entryOf(3, 't3'));
  relay.tenantsChanged();
  await untilQuiet();
  expect(arrived).toEqual(['3 data submissions.take a']);
});

test('a new writer says again what waits; what the old one was not told of is handed over again', async () => {
  const started = startWriter();
  refusing.add(1);
  await put('t1', 'a');
  refusing.clear();
  relay.attachWriter(started.near, started.gone);
  started.far.tell('submission.pending', { tenants: [keyOf('t1')] });
  await untilQuiet();
  expect(settled).toEqual(['a']);
});
