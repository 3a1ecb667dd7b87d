/**
 * Pages of operators in Debian's Chromium. The cluster: a node on a log in a real PostgreSQL with a synchronous standby, a second node that follows it and dies, and a node without a log. The last hour,
 * drawn and as a table.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CONTROL_PLANE } from '#actors/protocol/position.ts';
import type { NodeCluster } from '#actors/protocol/node-view.ts';
import { createTables } from '#storage/log-engine/postgres/create.ts';
import { hasChromium } from '#test/kit/chromium.ts';
import { CONSOLE_MS_MAX, ConsoleNode } from '#test/kit/console-node.ts';
import { freePort } from '#test/kit/free-port.ts';
import { LinkAuthority } from '#test/kit/link-papers.ts';
import { readiness } from '#test/kit/node-pair.ts';
import { writePlatformFile } from '#test/kit/platform-file.ts';
import { hasPostgres, PostgresPair } from '#test/kit/postgres-server.ts';
import { startProcess } from '#test/kit/process-node.ts';
import { call, positionHeaders } from '#test/kit/test-node.ts';

const LONG = 240_000;
const SHARDS = 4;
const LEASE = 'lease: 3000ms';

describe.skipIf(!hasChromium || !hasPostgres)('the cluster in a browser', () => {
  let database: PostgresPair;
  let on: ConsoleNode;
  let standby = 0;
  const papers = mkdtempSync(join(tmpdir(), 'skep-console-link-'));

  async function linkOf(name: string): Promise<string> {
    const { ca, certificate, key } = LinkAuthority.in(papers).pair(name);
    return `link: { bind: "127.0.0.1:${await freePort()}", certificate: "${certificate}", key: "${key}", ca: "${ca}" }`;
  }

  beforeAll(async () => {
    database = await PostgresPair.start();
    const { url } = database.primary;
    await createTables({ url, replication: 'strict', answerMs: 60_000 }, SHARDS);
    on = await ConsoleNode.start({
      storage: `journal: { driver: postgres, url: "${url}" }`,
      extra: `cluster: { node: first, ${LEASE}, ${await linkOf('first')} }\naudit: { enabled: true }`,
      isControlled: true,
    });
  }, CONSOLE_MS_MAX);
  afterAll(async () => {
    if (standby !== 0) process.kill(standby, 'SIGKILL');
    await on?.stop();
    await database?.stop();
    rmSync(papers, { recursive: true });
  });

  async function startStandby(): Promise<void> {
    const dir = join(on.dir, 'second');
    mkdirSync(dir, { recursive: true });
    const operations = await freePort();
    const file = writePlatformFile(dir, {
      storage: `journal: { driver: postgres, url: "${database.primary.url}" }`,
      extra: `cluster: { node: second, ${LEASE}, ${await linkOf('second')} }`,
    });
    const text = readFileSync(file, 'utf8');
    writeFileSync(
      file,
      text.replace('operations: { bind: 127.0.0.1:0 }', `operations: { bind: 127.0.0.1:${operations} }`),
    );
    startProcess(file, {}, [], [], (pid) => (standby = pid)).catch(() => undefined); // it is killed while it waits
    await expect
      .poll(() => readiness({ operations: `http://127.0.0.1:${operations}` }), { timeout: 60_000 })
      .toContain('had all');
  }

  const panel = (name: string): string =>
    `[...document.querySelectorAll('section')].find((one) => one.querySelector('h2').textContent === ${JSON.stringify(name)})`;

  test('a program is told of the log: the place, the database, each shard with its thread and owner', async () => {
    await on.it.node.ask(CONTROL_PLANE, 'identity', 'user.ensure', { ...on.operator(), roles: ['superadmin'] });
    const base = on.it.node.listeners['console']!;
    const at = positionHeaders(CONTROL_PLANE);
    const { json } = await call(base, 'POST', '/auth/login', at, on.operator());
    const bearer = { ...at, Authorization: `Bearer ${(json as { access_token: string }).access_token}` };
    const answer = await call(base, 'GET', '/superadmin/node/cluster', bearer);
    const { log } = answer.json as NodeCluster;
    expect(log).toMatchObject({ node: 'first', lease_seconds: 3, before: null, failed: null, nodes_more: 0 });
    expect(log!.nodes).toMatchObject([{ node: 'first', link: expect.stringContaining('127.0.0.1:'), linked: null }]);
    expect(log!.lease_left_seconds).toBeGreaterThan(0);
    expect(log!.shards.map(({ shard, host, owner }) => [shard, host, owner?.split(' ')[0]])).toEqual(
      Array.from({ length: SHARDS }, (_, no) => [no, expect.stringContaining('host-'), 'first']),
    );
    expect(log!.database!.members).toMatchObject([{ state: 'streaming', sync: 'sync' }]);
    expect(log!.database!.findings.find(({ check }) => check === 'copies')).toMatchObject({ state: 'ok' });
    expect(log!.database!.bytes).toBeGreaterThan(0);
    expect(answer.text).not.toContain(`${new URL(database.primary.url).username}@`);
  });

  test(
    'a node alone, then one that follows, then its silence with the line that ends it',
    { timeout: LONG },
    async () => {
      const { page } = on;
      await on.openPlane('/operations/cluster');
      await page.shows('No standby follows');
      await page.shows('A write waits for it');
      await startStandby();
      await page.has(
        `[...${panel('Nodes on the log')}.querySelectorAll('[data-state]')].map((one) => one.dataset.state).toSorted()`,
        ['serves', 'stands by', 'up'],
      );
      await page.shows('answer callers');
      await page.isSound('cluster');
      process.kill(standby, 'SIGKILL');
      standby = 0;
      await page.shows('silent');
      expect(await page.lineOf('End second, which is known to be dead')).toContain('--confirm second');
      expect(await page.lineOf('Hand over to a standby that has all')).toContain('skep cluster drain -f');
      await page.shows('found it free');
      await page.has(`${panel('Who served, on this machine')}.querySelectorAll('tbody tr').length`, 1);
      await page.speak('Deutsch');
      await page.shows('Knoten am Log');
      await page.isSound('cluster-german');
      page.isQuiet();
    },
  );
});

/** Between the page and the node, which is no hour old: an hour as it would have it, with a gap in which nothing was answered. */
const HOUR_OLD = `
  const ask = window.fetch;
  window.fetch = async (...request) => {
    const answer = await ask(...request);
    if (!answer.url.endsWith('/superadmin/node/figures')) return answer;
    const { every_seconds, points: [real] } = await answer.json();
    const wave = (no, high) => Math.round(high * (1 + Math.sin(no / 9)) * 10) / 10;
    const points = Array.from({ length: 120 }, (_, no) => ({
      ...real, at: new Date(Date.parse(real.at) - (119 - no) * 30000).toISOString(),
      requests_per_second: no > 40 && no < 50 ? 0 : wave(no, 120), failed_per_second: wave(no, 2),
      p50_ms: no > 40 && no < 50 ? null : wave(no, 3), p99_ms: no > 40 && no < 50 ? null : wave(no, 40),
      waiting: Math.round(wave(no, 5)), lag_records: Math.round(wave(no, 900)), loop_delay_ms: wave(no, 12),
    }));
    return new Response(JSON.stringify({ every_seconds, points }), answer);
  };`;

describe.skipIf(!hasChromium)('a node without a log in a browser', () => {
  let it: ConsoleNode;
  beforeAll(async () => {
    it = await ConsoleNode.start({ before: HOUR_OLD });
    await it.enterPlane();
  }, CONSOLE_MS_MAX);
  afterAll(() => it?.stop());

  test('says in a sentence what to do', { timeout: LONG }, async () => {
    const { page } = it;
    await page.click('Cluster');
    await page.shows('This node keeps its journal in files');
    expect(await page.lineOf('Is the database fit for it?')).toContain('skep cluster check');
    await page.isSound('cluster-none');
    page.isQuiet();
  });

  test('the last hour is drawn, told under the pointer, and stands in a table', { timeout: LONG }, async () => {
    const { page } = it;
    await page.click('The last hour');
    await page.count('.chart canvas', 6);
    await page.has(
      '[...document.querySelectorAll(".chart")].every((one) => one.getAttribute("aria-label").length > 20)',
      true,
    );
    const isDrawn = "[...document.querySelectorAll('.chart canvas')].every((one) => one.toDataURL().length > 2500)";
    await page.has(isDrawn, true);
    await page.click('All values, newest first');
    await page.has("document.querySelectorAll('details[open] tbody tr').length", 120);
    await page.has("document.querySelectorAll('details[open] thead th').length", 10);
    await page.click('All values, newest first');
    await page.isSound('hour');
    await page.isInDocs('hour', 'dark');
    const told = () => page.page.run("return document.querySelector('.chart-mark').parentElement.textContent");
    const newest = await told();
    const underPointer = async () => {
      const at =
        "const { left, top } = document.querySelector('.chart .u-over').getBoundingClientRect(); return [left + 20, top + 20]";
      const [x, y] = (await page.page.run(at)) as number[];
      await page.page.command('Input.dispatchMouseEvent', { type: 'mouseMoved', x, y });
      return told();
    };
    await expect.poll(underPointer, { timeout: 60_000, interval: 100 }).not.toBe(newest);
    await page.speak('Deutsch');
    await page.shows('Die letzte Stunde');
    await page.isSound('hour-german');
    page.isQuiet();
  });

  test('home has the hour in small', { timeout: LONG }, async () => {
    const { page } = it;
    await page.speak('English');
    await page.click('Home');
    await page.shows('Time of a request');
    await page.has(
      "[...document.querySelectorAll('.spark path')].filter((one) => one.getAttribute('d').length > 100).length",
      6,
    );
    await page.isSound('home');
    page.isQuiet();
  });
});
