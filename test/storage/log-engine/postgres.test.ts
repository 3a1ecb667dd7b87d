/** The log engine in PostgreSQL keeps the port: a real server with a synchronous standby. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EngineRefused } from '#storage/log-engine/port.ts';
import { createTables } from '#storage/log-engine/postgres/create.ts';
import { PostgresEngine } from '#storage/log-engine/postgres/engine.ts';
import { hasPostgres, PostgresPair } from '#test/kit/postgres-server.ts';
import { engineCases } from './engine.cases.ts';
import { FatefulProxy } from './fateful-proxy.ts';
import { snapshotCases } from './snapshot.cases.ts';

import type { OpenWorld } from './world.ts';

const ANSWER_MS = 20_000;
/** Schemas of two cases are not in one database. */
const CLEAN = 'drop schema public cascade; create schema public';

let pair: PostgresPair;

const optionsOf = (url: string) => ({ url, replication: 'strict' as const, answerMs: ANSWER_MS });

async function empty(shards: number): Promise<void> {
  await pair.primary.sql(CLEAN);
  await createTables(optionsOf(pair.primary.url), shards);
}

const open: OpenWorld = async (shards) => {
  await empty(shards);
  const closers: (() => void | Promise<void>)[] = [];
  const proxies: FatefulProxy[] = [];
  return {
    connect: async () => {
      const proxy = new FatefulProxy(pair.primary.port);
      const port = await proxy.open();
      const engine = new PostgresEngine(optionsOf(`postgres://skep@127.0.0.1:${port}/postgres`));
      proxies.push(proxy);
      closers.push(
        () => engine.close(),
        () => proxy.close(),
      );
      return { engine, doom: (fate) => proxy.doom(fate) };
    },
    deliver: async () => {
      for (const proxy of proxies) await proxy.deliver();
    },
    close: async () => {
      for (const close of closers) await close();
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

  it('makes its tables once', async () => {
    await empty(3);
    await expect(createTables(optionsOf(pair.primary.url), 3)).rejects.toThrow(EngineRefused);
  });
});
