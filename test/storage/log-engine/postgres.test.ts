/** The log engine in PostgreSQL keeps the port: a real server with a synchronous standby. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Fate } from './memory.ts';
import type { Incarnation } from '#storage/log-engine/nodes-port.ts';
import { EngineRefused } from '#storage/log-engine/port.ts';
import { nodeEvents, nodeRows } from '#storage/log-engine/postgres/cluster.ts';
import { createTables } from '#storage/log-engine/postgres/create.ts';
import { PostgresEngine } from '#storage/log-engine/postgres/engine.ts';
import { CARRY, SERVE } from '#storage/log-engine/postgres/node-statements.ts';
import { PostgresNodes } from '#storage/log-engine/postgres/nodes.ts';
import { Session, type SessionOptions } from '#storage/log-engine/postgres/session.ts';
import { hasPostgres, PostgresPair } from '#test/kit/postgres-server.ts';
import { engineCases } from './engine.cases.ts';
import { FatefulProxy } from './fateful-proxy.ts';
import { nodesCases, type OpenNodeWorld } from './nodes.cases.ts';
import { snapshotCases } from './snapshot.cases.ts';
import type { OpenWorld } from './world.ts';

const ANSWER_MS = 20_000;
/** Schemas of two cases are not in one database. */
const CLEAN = 'drop schema public cascade; create schema public';

let pair: PostgresPair;

const optionsOf = (url: string) => ({ url, replication: 'strict' as const, answerMs: ANSWER_MS });

/** As a release without events left the database. */
const NO_EVENTS = 'drop table skep_event; drop function skep_tell_node, skep_tell_serving, skep_tell_shard cascade';

async function empty(shards: number): Promise<void> {
  await pair.primary.sql(CLEAN);
  await createTables(optionsOf(pair.primary.url), shards);
}

/** Callers of a new database, each behind a proxy that dooms its calls. */
async function callers(shards: number) {
  await empty(shards);
  const closers: (() => void | Promise<void>)[] = [];
  const proxies: FatefulProxy[] = [];
  return {
    connect: async <T extends { close(): Promise<void> }>(make: (options: SessionOptions) => T) => {
      const proxy = new FatefulProxy(pair.primary.port);
      const made = make(optionsOf(`postgres://skep@127.0.0.1:${await proxy.open()}/postgres`));
      proxies.push(proxy);
      closers.push(
        () => made.close(),
        () => proxy.close(),
      );
      return { made, doom: (fate: Fate) => proxy.doom(fate) };
    },
    deliver: async () => {
      for (const proxy of proxies) await proxy.deliver();
    },
    close: async () => {
      for (const close of closers) await close();
    },
  };
}

const open: OpenWorld = async (shards) => {
  const { connect, ...world } = await callers(shards);
  return {
    ...world,
    connect: async () => {
      const { made: engine, doom } = await connect((options) => new PostgresEngine(options));
      return { engine, doom };
    },
  };
};

const openNodes: OpenNodeWorld = async () => {
  const { connect, ...world } = await callers(1);
  return {
    ...world,
    connect: async () => {
      const { made: nodes, doom } = await connect((options) => new PostgresNodes(options));
      return { nodes, doom };
    },
  };
};

describe.runIf(hasPostgres)('PostgreSQL', () => {
  beforeAll(async () => {
    pair = await PostgresPair.start();
  }, 120_000);
  afterAll(() => pair.stop());

  engineCases(open, it);
  snapshotCases(open, it);
  nodesCases(openNodes, it);

  it('a log that was made without tables of nodes gets them from the first nodes that come', async () => {
    await empty(1);
    await pair.primary.sql('drop table skep_node, skep_serving, skep_event');
    const nodes = [1, 2].map(() => new PostgresNodes(optionsOf(pair.primary.url)));
    const lives = nodes.map((_, at) => ({ id: randomUUID(), node: `n${at}`, place: '', leaseMs: 3000 }));
    await Promise.all(nodes.map((node, at) => node.register(lives[at]!)));
    expect((await nodes[0]!.beat(lives[0]!.id, 1))!.nodes).toHaveLength(2);
    for (const node of nodes) await node.close();
  });

  it('a log that the release before made gets the columns of links from the first node that comes, and its lives stay', async () => {
    await empty(1);
    await pair.primary.sql(
      `${NO_EVENTS}; alter table skep_node drop column link, drop column linked, drop column carry_no`,
    );
    await pair.primary.sql(
      `insert into skep_node (incarnation, node, place, lease_ms) values ('${randomUUID()}', 'old', '', 3000)`,
    );
    const rows = () => nodeRows(optionsOf(pair.primary.url));
    expect((await rows()).map(({ node, link, linked }) => [node, link, linked])).toEqual([['old', undefined, null]]);
    const nodes = new PostgresNodes(optionsOf(pair.primary.url));
    const life = { id: randomUUID(), node: 'new', place: '', leaseMs: 3000, link: '10.0.0.1:7400' };
    await nodes.register(life);
    const sight = await nodes.beat(life.id, 1, null, true);
    expect(sight!.nodes.map(({ node, link }) => `${node} ${link}`).toSorted()).toEqual([
      'new 10.0.0.1:7400',
      'old undefined',
    ]);
    expect((await rows())[0]).toMatchObject({ link: '10.0.0.1:7400', linked: true });
    await nodes.beat(life.id, 2, null, false);
    expect((await rows())[0]!.linked).toBe(false);
    await nodes.beat(life.id, 3);
    expect((await rows())[0]!.linked).toBeNull();
    await nodes.close();
  });

  it('a log that the release before made gets the columns of carriers, and a life whose word is on its way keeps another one from serving', async () => {
    await empty(1);
    await pair.primary.sql(`${NO_EVENTS}; alter table skep_node drop column carries, drop column carry_no`);
    await pair.primary.sql('alter table skep_serving drop column carried');
    expect(await nodeRows(optionsOf(pair.primary.url))).toEqual([]);
    const nodes = [1, 2, 3].map(() => new PostgresNodes(optionsOf(pair.primary.url)));
    const lives = nodes.map((_, at) => ({ id: randomUUID(), node: `n${at}`, place: '', leaseMs: 3000 }));
    for (const [at, node] of nodes.entries()) await node.register(lives[at]!);
    const [[serving, carrier, next], [a, b, c]] = [lives, nodes] as unknown as [
      readonly [Incarnation, Incarnation, Incarnation],
      readonly [PostgresNodes, PostgresNodes, PostgresNodes],
    ];
    expect(await a.serve(serving.id, null)).toBe(true);
    expect(await c.condemn(serving.id, 0)).toBe(true);
    const before = (await c.beat(next.id, 1))!;
    const open = await Session.open(optionsOf(pair.primary.url));
    // The carrier's change is under way: no look shows it.
    await open.read({ name: '', text: 'begin', values: [] });
    await open.read({ name: '', text: CARRY, values: [carrier.id, serving.id, 1] });
    const serves = c.serve(next.id, serving.id, before.carried);
    const locked = `select count(*)::int as n from pg_stat_activity where wait_event_type = 'Lock'`;
    await expect.poll(async () => (await pair.primary.sql(locked))[0]!['n']).toBe(1);
    await open.read({ name: '', text: 'commit', values: [] });
    expect(await serves).toBe(false);
    const seen = (await c.beat(next.id, 2))!;
    expect(seen.nodes.find(({ id }) => id === carrier.id)).toMatchObject({ carries: serving.id });
    expect((await nodeRows(optionsOf(pair.primary.url))).filter(({ carries }) => carries === serving.id)).toHaveLength(
      1,
    );
    // And the other way round.
    await open.read({ name: '', text: 'begin', values: [] });
    await open.read({ name: '', text: SERVE, values: [next.id, serving.id, seen.carried] });
    const carries = b.carry(carrier.id, serving.id, 2);
    await expect.poll(async () => (await pair.primary.sql(locked))[0]!['n']).toBe(1);
    await open.read({ name: '', text: 'commit', values: [] });
    expect(await carries).toBe(false);
    open.close();
    for (const node of nodes) await node.close();
  });

  it('tells what has happened to nodes and shards, each change once and no other', async () => {
    await empty(4);
    const options = optionsOf(pair.primary.url);
    const [a, b] = [new PostgresNodes(options), new PostgresNodes(options)];
    const [one, two] = ['n1', 'n2'].map((node) => ({
      id: randomUUID(),
      node,
      place: '',
      leaseMs: 3000,
      link: `${node}:1`,
    }));
    await a.register(one!);
    await a.serve(one!.id, null);
    await a.serve(one!.id, null); // the same call again, as where its answer was lost
    await b.register(two!);
    for (let beat = 1; beat < 4; beat++) await b.beat(two!.id, beat);
    const engine = new PostgresEngine(options);
    const claims = await Promise.all(
      [0, 2, 3].map((shard) => engine.claim({ shard, seen: 0, owner: 'n1 process 7 host-0', token: randomUUID() })),
    );
    expect(claims.every((claim) => claim !== null)).toBe(true);
    await engine.release(2, 1);
    await b.carry(two!.id, one!.id, 1);
    await b.carry(two!.id, null, 2);
    await a.handOver(one!.id, two!.id);
    await a.leave(one!.id);
    await b.serve(two!.id, null, 1);
    await b.condemn(two!.id, 3);
    await b.condemn(two!.id, 3);
    const told = (await nodeEvents(options, 100)).map(({ kind, node, other, shards, silent_s }) =>
      [node, kind, other, shards?.join() ?? '', silent_s === null ? '' : silent_s < 60].join(' ').trim(),
    );
    const opened = told
      .filter((line) => line.includes('opens'))
      .flatMap((line) => line.match(/\b[0-3](?:,[0-3])*$/)?.[0].split(',') ?? []);
    expect(opened.toSorted()).toEqual(['0', '2', '3']);
    expect(told.filter((line) => !line.includes('opens'))).toEqual([
      'n1 started n1:1',
      'n1 serves',
      'n2 started n2:1',
      'n1 closes host-0 2',
      'n2 carries n1',
      'n2 carries nothing n1',
      'n1 hands over n2',
      'n1 serves no more',
      'n1 ended   true',
      'n2 serves',
      'n2 ended   true',
    ]);
    await pair.primary.sql(`update skep_event set at = at - interval '31 days' where kind = 'started'`);
    await a.register({ ...one!, id: randomUUID() });
    expect((await nodeEvents(options, 100)).filter(({ kind }) => kind === 'started')).toHaveLength(1);
    for (const open of [a, b, engine]) await open.close();
  });

  it('forgets lives that were silent for a day, and not the one that serves', async () => {
    await empty(1);
    const nodes = new PostgresNodes(optionsOf(pair.primary.url));
    const [serves, old, fresh] = ['serves', 'old', 'fresh'].map((node) => ({
      id: randomUUID(),
      node,
      place: '',
      leaseMs: 3000,
    }));
    await nodes.register(serves!);
    await nodes.serve(serves!.id, null);
    await nodes.register(old!);
    await pair.primary.sql("update skep_node set at = at - interval '2 days'");
    await nodes.register(fresh!);
    const sight = await nodes.beat(fresh!.id, 1);
    expect(sight!.nodes.map(({ node }) => node).toSorted()).toEqual(['fresh', 'serves']);
    expect(await nodes.beat(old!.id, 1)).toBeNull();
    await nodes.close();
  });

  it('makes its tables once', async () => {
    await empty(3);
    await expect(createTables(optionsOf(pair.primary.url), 3)).rejects.toThrow(EngineRefused);
  });
});
