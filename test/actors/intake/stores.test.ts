/** The three backends over real files and a real database. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe } from 'vitest';
import type { StoreSettings } from '#actors/intake/store-settings.ts';
import { hasPostgres, PostgresPair } from '#test/kit/postgres-server.ts';
import { sealOf, vaultOf } from '#test/storage/log-seal/keys.ts';
import { storeCases } from './store.cases.ts';

const root = mkdtempSync(join(tmpdir(), 'skep-intake-stores-'));
afterAll(() => rmSync(root, { recursive: true }));
let no = 0;

function settingsOf(backend: StoreSettings['backend']): StoreSettings {
  const dir = join(root, `${no++}`);
  const paths = { embeddedPath: join(dir, 'db'), jsonlDir: join(dir, 'log') };
  return { ...paths, backend, walJsonl: true, jsonlRotate: 'daily', freeBytesMin: 0 };
}

describe('embedded', () => storeCases({ fresh: () => settingsOf('embedded'), delivers: true }));
describe('jsonl', () => storeCases({ fresh: () => settingsOf('jsonl'), delivers: false }));

describe.runIf(hasPostgres).each([
  ['postgres', null],
  ['postgres, sealed', sealOf(vaultOf(1))],
])('%s', (_name, seal) => {
  let pair: PostgresPair;
  beforeAll(async () => {
    pair = await PostgresPair.start();
  }, 120_000);
  afterAll(() => pair.stop());

  storeCases({
    delivers: true,
    fresh: async () => {
      await pair.primary.sql('drop schema public cascade; create schema public');
      const database = { url: pair.primary.url, replication: 'strict', answerMs: 20_000 } as const;
      return { ...settingsOf('postgres'), database: { ...database, node: null, seal: () => Promise.resolve(seal) } };
    },
  });
});
