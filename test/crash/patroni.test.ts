/**
 * A node on a log in PostgreSQL under Patroni, with the settings of docs/how-to/patroni.md: the primary hands over, and is killed with its Patroni, the synchronous standby is killed. Nothing that was
 * acknowledged is lost, and the node goes on by itself.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ROOT } from '#runtime/place.ts';
import { createTables } from '#storage/log-engine/postgres/create.ts';
import { hasPatroni, isWhole, Patroni } from '#test/kit/patroni.ts';
import { writePlatformFile } from '#test/kit/platform-file.ts';
import { startProcess, type ProcessNode } from '#test/kit/process-node.ts';
import { tally } from '#test/kit/tally.ts';
import { startTestNode } from '#test/kit/test-node.ts';
import { skep } from '#test/runtime/cli/recorder.ts';
import { drive, emptyLedger, verify } from './row-ledger.ts';

const NAMES = ['db1', 'db2', 'db3'];
const CALLERS = 8;
const SHARDS = 4;
/** Acknowledged behind a fault before the next one. */
const MORE = 40;
const START_MS = 90_000;

/** The settings of a member, as the page shows them. */
function settings(): string {
  const page = readFileSync(join(ROOT, 'docs/how-to/patroni.md'), 'utf8');
  return /```yaml\n(scope: [^]*?)```/.exec(page)![1]!;
}

describe.runIf(hasPatroni)('a node on a log under Patroni', () => {
  const root = mkdtempSync(join(tmpdir(), 'skep-on-patroni-'));
  const ledger = emptyLedger();
  const patroni = new Patroni();
  let key: string;
  let file: string;
  let node: ProcessNode;
  let load: Promise<unknown>;

  beforeAll(async () => {
    await patroni.start(settings(), NAMES);
    patroni.sql(patroni.leader!, 'create role skep login superuser');
    patroni.sql(patroni.leader!, 'create database skeplog owner skep');
    const { url } = patroni;
    await createTables({ url, replication: 'strict', answerMs: 20_000 }, SHARDS);
    mkdirSync(join(root, 'n1'));
    const storage = `journal: { driver: postgres, url: "${url}" }`;
    const prepared = await startTestNode({ dir: join(root, 'n1'), storage });
    key = prepared.serviceKey;
    await prepared.stop();
    file = writePlatformFile(join(root, 'n1'), { storage, extra: 'cluster: { lease: 30s }' });
    node = await startProcess(file);
    load = Promise.all(Array.from({ length: CALLERS }, (_, no) => drive(node, key, ledger, `c${no}`)));
  }, 240_000);
  afterAll(async () => {
    await node.end('SIGKILL');
    await load;
    await patroni.stop();
    rmSync(root, { recursive: true, force: true });
  }, 60_000);

  /** Callers are answered again, and everything of before is there. */
  async function goesOn(): Promise<void> {
    const enough = ledger.created.size + MORE;
    await expect.poll(() => ledger.created.size, { timeout: START_MS }).toBeGreaterThan(enough);
    const before = { ...ledger, created: new Map(ledger.created), stock: new Map<string, never>() };
    await verify(node, key, before);
  }

  test('the check takes it for a log on two copies', { timeout: START_MS }, async () => {
    await goesOn();
    const checked = await skep(`cluster check -f ${file}`);
    expect(checked.code, checked.out + checked.err).toBe(0);
    expect(checked.out).toMatch(/copies .*db[123]/);
  });

  test('a switch-over loses nothing', { timeout: 2 * START_MS }, async () => {
    const before = patroni.leader!;
    const next = patroni.members().find(({ Role }) => Role === 'Sync Standby')!.Member;
    patroni.control('switchover', 'skep', '--master', before, '--candidate', next, '--force');
    await patroni.until(`${next} leads`, (all) => all.some(({ Member, Role }) => Member === next && Role === 'Leader'));
    await goesOn();
    await patroni.until('all are there', (all) => isWhole(all, NAMES.length));
  });

  test('a standby that is lost is replaced by the third member', { timeout: 2 * START_MS }, async () => {
    const lost = patroni.members().find(({ Role }) => Role === 'Sync Standby')!.Member;
    await patroni.kill(lost);
    await goesOn();
    patroni.begin(lost);
    await patroni.until('all are there', (all) => isWhole(all, NAMES.length));
  });

  test('a primary that is killed with its Patroni loses nothing', { timeout: 3 * START_MS }, async () => {
    const lost = patroni.leader!;
    await patroni.kill(lost);
    await patroni.until('another one leads', (all) =>
      all.some(({ Member, Role }) => Role === 'Leader' && Member !== lost),
    );
    await goesOn();
    patroni.begin(lost);
    await patroni.until('all are there', (all) => isWhole(all, NAMES.length));
    // The same process served all the time.
    expect(await node.end('SIGKILL')).toBe('SIGKILL');
    await load;
    node = await startProcess(file);
    await verify(node, key, ledger);
    tally({ acknowledged: ledger.created.size });
  });
});
