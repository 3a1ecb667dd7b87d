/** What both keepers of certificates do, in files of one node and in a vault that nodes share. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { FRESH, type Attempts } from '#runtime/acme/next-action.ts';
import { fallbackPair, keyPem } from '#runtime/acme/paper.ts';
import type { Papers } from '#runtime/acme/papers.ts';
import { pairPlace } from '#runtime/acme/places.ts';

export const SITE = 'app.example.org';
export const NOW = Date.UTC(2026, 0, 1);
export const DIRECTORY = 'https://a.example.org/dir';
export const FAILED: Attempts = {
  failures: 2,
  notBeforeMs: NOW + 60_000,
  failure: { atMs: NOW, what: 'it is down', mend: 'wait' },
};

export function scratch(): string {
  const dir = mkdtempSync(join(tmpdir(), 'skep-papers-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

/** `open`: papers over a directory; again over the same one, as behind a restart. */
export function papersCases(open: (dataDir: string) => Papers): void {
  test('attempts outlive a restart, each name by itself', async () => {
    const dir = scratch();
    const papers = open(dir);
    expect([...(await papers.recall())]).toEqual([]);
    await papers.remember(SITE, FAILED);
    await papers.remember('b.example.org', FRESH);
    const again = open(dir);
    expect(Object.fromEntries(await again.recall())).toEqual({ [SITE]: FAILED, 'b.example.org': FRESH });
    await again.remember(SITE, FRESH);
    expect(Object.fromEntries(await open(dir).recall())).toEqual({ [SITE]: FRESH, 'b.example.org': FRESH });
  });

  test('a pair is in its file when it is put, and the next one replaces it', async () => {
    const dir = scratch();
    const papers = open(dir);
    await papers.recall();
    for (const pair of [await fallbackPair(NOW), await fallbackPair(NOW)]) {
      await papers.put(SITE, pair);
      expect(readFileSync(pairPlace(dir, SITE), 'utf8')).toBe(pair);
    }
  });

  test('the key of an account is made once, and another authority has another', async () => {
    const dir = scratch();
    const first = keyPem(await open(dir).account(DIRECTORY));
    expect(keyPem(await open(dir).account(DIRECTORY))).toBe(first);
    expect(keyPem(await open(dir).account('https://b.example.org/dir'))).not.toBe(first);
  });

  test('a token is offered and withdrawn', async () => {
    const papers = open(scratch());
    await papers.recall();
    const withdraw = await papers.offer(SITE, 'token', 'answer');
    await withdraw();
  });
}
