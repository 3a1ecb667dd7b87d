/**
 * kill -9 anywhere between a visitor's request and the row: each acknowledged submission becomes one row of its tenant, and no row is of anything else that was
 * refused. Rounds: SKEP_CRASH_FORMS.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { writeDesk } from '#test/kit/desk-forms.ts';
import { TENANT, writePlatformFile } from '#test/kit/platform-file.ts';
import { startProcess } from '#test/kit/process-node.ts';
import { rounds } from '#test/kit/rounds.ts';
import { tally } from '#test/kit/tally.ts';
import { call, exchange, positionHeaders, startTestNode } from '#test/kit/test-node.ts';

const ROUNDS = rounds({ suite: 4, ci: 5 }, 'SKEP_CRASH_FORMS');
const CALLERS = 8;

test(`${ROUNDS} deaths between submissions and their rows`, { timeout: ROUNDS * 60_000 + 60_000 }, async () => {
  const dir = mkdtempSync(join(tmpdir(), 'skep-forms-crash-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const wish = { ...writeDesk(dir), extra: 'jobs: { threads: 1 }' };
  const prepared = await startTestNode({ ...wish, dir });
  await prepared.stop();
  const file = writePlatformFile(dir, wish);

  /** Subject → id of what was acknowledged; subjects whose request broke. */
  const accepted = new Map<string, string>();
  const unknown = new Set<string>();
  let sent = 0;
  const load = async (base: string, going: () => boolean): Promise<void> => {
    while (going()) {
      const subject = `s${sent++}`;
      try {
        const { status, json } = await call(base, 'POST', '/f/contact', {}, { subject, email: 'ada@example.org' });
        if (status === 200) accepted.set(subject, (json as { id: string }).id);
        else expect(status).toBe(503);
      } catch {
        unknown.add(subject);
        return;
      }
    }
  };
  for (let round = 0; round < ROUNDS; round++) {
    const node = await startProcess(file);
    const before = accepted.size;
    const loads = Array.from({ length: CALLERS }, () => load(node.listeners['intake']!, () => true));
    const enough = before + 1 + Math.floor(Math.random() * 60);
    await expect.poll(() => accepted.size, { interval: 1, timeout: 30_000 }).toBeGreaterThanOrEqual(enough);
    expect(await node.end('SIGKILL')).toBe('SIGKILL');
    await Promise.all(loads);
  }
  const last = await startProcess(file);
  onTestFinished(async () => void (await last.end('SIGTERM')));
  const base = last.listeners['gateway']!;
  const headers = { ...positionHeaders(TENANT), Authorization: `Bearer ${await exchange(base, prepared.serviceKey)}` };
  const references = async (): Promise<Map<string, string[]>> => {
    const found = new Map<string, string[]>();
    for (let page = 1; ; page++) {
      const answer = await call(base, 'GET', `/data/rest/ticket?limit=500&page=${page}`, headers);
      expect(answer.status, answer.text).toBe(200);
      const { data } = answer.json as { data: { subject: string; reference: string }[] };
      for (const { subject, reference } of data) found.set(subject, [...(found.get(subject) ?? []), reference]);
      if (data.length < 500) return found;
    }
  };
  const missing = async (): Promise<string[]> => {
    const found = await references();
    return [...accepted.keys()].filter((subject) => !found.has(subject));
  };
  await expect.poll(missing, { timeout: 60_000, interval: 200 }).toEqual([]);
  tally({ acknowledged: accepted.size });
  const found = await references();
  expect([...found].filter(([, all]) => all.length !== 1)).toEqual([]);
  expect([...accepted].filter(([subject, id]) => found.get(subject)?.[0] !== id)).toEqual([]);
  expect([...found.keys()].filter((subject) => !accepted.has(subject) && !unknown.has(subject))).toEqual([]);
});
