/**
 * kill -9 while assets of a store with `index: fs` come, change and go: what was acknowledged is there, nothing is half there.
 * Rounds: test/kit/rounds.ts.
 */
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { magazineIndexed, startMagazine, upload } from '#test/kit/magazine.ts';
import { TENANT, writePlatformFile } from '#test/kit/platform-file.ts';
import { startProcess } from '#test/kit/process-node.ts';
import { tally } from '#test/kit/tally.ts';
import { call, exchange, positionHeaders, type Headers } from '#test/kit/test-node.ts';
import { rounds } from '#test/kit/rounds.ts';

const ROUNDS = rounds({ suite: 1, ci: 3 });
const CALLERS = 8;
/** The node is killed when so many changes were acknowledged in a round. */
const CHANGES = 120;

interface Known {
  readonly id: string;
  /** Titles that it may have: the acknowledged one, and those that were asked for since. */
  titles: string[];
  /** Whether it was asked to go, and whether that was acknowledged. */
  ending: 'no' | 'asked' | 'done';
}

test('kill -9: acknowledged assets are there', { timeout: 240_000 }, async () => {
  const dir = mkdtempSync(join(tmpdir(), 'skep-fs-crash-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const wish = { localdir: magazineIndexed(dir) };
  const prepared = await startMagazine({ ...wish, dir });
  await prepared.stop();
  const file = writePlatformFile(dir, wish);
  const known = new Map<string, Known>();
  for (let round = 0; round < ROUNDS; round++) {
    const node = await startProcess(file);
    const gateway = node.listeners['gateway']!;
    const headers: Headers = {
      ...positionHeaders(TENANT),
      Authorization: `Bearer ${await exchange(gateway, prepared.serviceKey)}`,
    };
    await check(gateway, headers, known);
    let acknowledged = 0;
    const done = (): void => {
      if (++acknowledged === CHANGES) process.kill(node.pid, 'SIGKILL');
    };
    await Promise.all(
      Array.from({ length: CALLERS }, (_, caller) => change(gateway, headers, known, `${round}.${caller}`, done)),
    );
    expect(await node.exited).toBe('SIGKILL');
    tally({ kills: 1, acknowledged });
  }
  const node = await startProcess(file);
  onTestFinished(async () => void (await node.end('SIGTERM')));
  const gateway = node.listeners['gateway']!;
  const headers = {
    ...positionHeaders(TENANT),
    Authorization: `Bearer ${await exchange(gateway, prepared.serviceKey)}`,
  };
  expect(known.size).toBeGreaterThan(CHANGES / 4);
  await check(gateway, headers, known);
  expect(node.logged()).not.toContain('damaged');
});

/** Makes assets, changes each, and deletes every third, until the node is gone. */
async function change(gateway: string, headers: Headers, known: Map<string, Known>, of: string, done: () => void) {
  const url = `${gateway}/store/media/asset`;
  try {
    for (let n = 0; ; n++) {
      const text = `${of}.${n}`;
      const made = await upload(url, headers, text, { fields: { title: 'new' } });
      expect(made.status).toBe(201);
      const one: Known = { id: made.json.id as string, titles: ['new'], ending: 'no' };
      known.set(text, one);
      done();
      one.titles.push('changed');
      expect((await call(gateway, 'PATCH', `/store/media/asset/${one.id}`, headers, { title: 'changed' })).status).toBe(
        200,
      );
      one.titles = ['changed'];
      done();
      if (n % 3 !== 2) continue;
      one.ending = 'asked';
      expect((await call(gateway, 'DELETE', `/store/media/asset/${one.id}`, headers)).status).toBe(200);
      one.ending = 'done';
      done();
    }
  } catch (error) {
    if (!(error instanceof TypeError)) throw error; // what fetch throws when the node is gone
  }
}

/** Every asset that was acknowledged, its title, and its bytes; those that were deleted are gone. */
async function check(gateway: string, headers: Headers, known: ReadonlyMap<string, Known>): Promise<void> {
  for (const [text, { id, titles, ending }] of known) {
    const answer = await call(gateway, 'GET', `/store/media/asset/${id}`, headers);
    if (ending === 'done') expect([text, answer.status]).toEqual([text, 404]);
    if (ending === 'done' || (ending === 'asked' && answer.status === 404)) continue;
    const { title, sha256 } = answer.json as { title: string; sha256: string };
    expect([text, answer.status, titles.includes(title), sha256]).toEqual([
      text,
      200,
      true,
      createHash('sha256').update(text).digest('hex'),
    ]);
    const bytes = await fetch(`${gateway}/store/media/asset/${id}/download`, { headers });
    expect(await bytes.text()).toBe(text);
  }
}
