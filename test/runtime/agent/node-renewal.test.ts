import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fc } from '#test/kit/property.ts';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { timestamp } from '#actors/kit/clock.ts';
import { SimulatedClock } from '#test/kit/simulated-clock.ts';
import { renewAt } from '#runtime/agent/half-life.ts';
import { AgentFiles, type NodeIdentity } from '#runtime/agent/identity-file.ts';
import { AgentMeter } from '#runtime/agent/meter.ts';
import { NodeRenewal } from '#runtime/agent/node-renewal.ts';
import { VaultAway, VaultRefused, type VaultCalls } from '#runtime/agent/vault-calls.ts';

const DAY_MS = 86_400_000;
let clock: SimulatedClock;
let asked: { refresh_token: string; csr: string }[];
let answer: () => Promise<unknown>;
let due: { ms: number; run: () => void } | null;
let renewal: NodeRenewal;
let meter: AgentMeter;
let files: AgentFiles;

function papers(refresh_token: string): NodeIdentity {
  const from = clock.now();
  const times = {
    not_before: timestamp(from - limits.pki.backdateMs),
    not_after: timestamp(from + DAY_MS),
    refresh_expires_at: '',
  };
  const node = { node_id: 'n', name: 'a', spiffe_id: '', trust_domain: '', certificate: 'c', ca: '', key: 'k' };
  return { ...node, ...times, refresh_token };
}

beforeEach(() => {
  const dir = mkdtempSync(join(tmpdir(), 'skep-renewal-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  clock = new SimulatedClock();
  asked = [];
  due = null;
  meter = new AgentMeter();
  files = new AgentFiles(dir);
  const json = (_method: string, _path: string, _badge: unknown, body: unknown): Promise<unknown> => {
    asked.push(body as (typeof asked)[number]);
    return answer();
  };
  const calls = { json, close: () => {} } as unknown as VaultCalls;
  const log = { info: () => {}, warn: () => {}, error: () => {} };
  const later = (ms: number, run: () => void) => {
    due = { ms, run };
    return () => (due = null);
  };
  renewal = new NodeRenewal({ files, calls, clock, log, meter, random: () => 0.5, later }, papers('r1'));
  renewal.start();
});

test('renewed at half its life, give or take a tenth', async () => {
  expect(due!.ms).toBe(DAY_MS / 2);
  fc.assert(
    fc.property(fc.double({ min: 0, max: 1, noNaN: true }), (random) => {
      const at = renewAt(0, DAY_MS, () => random);
      expect(at).toBeGreaterThanOrEqual(0.4 * DAY_MS - 1);
      expect(at).toBeLessThanOrEqual(0.6 * DAY_MS + 1);
    }),
  );
  clock.advance(DAY_MS / 2);
  answer = () => Promise.resolve(papers('r2'));
  expect(await renewal.renew()).toBe(true);
  expect([renewal.identity.refresh_token, files.identity()?.refresh_token, due!.ms]).toEqual(['r2', 'r2', DAY_MS / 2]);
});

test('a reply that got lost: the next try has the same token and the same key, also after a restart', async () => {
  answer = () => Promise.reject(new VaultAway('cut'));
  expect(await renewal.renew()).toBe(false);
  const key = files.pendingKey();
  expect(new AgentFiles(files.dir).pendingKey().equals(key)).toBe(true);
  answer = () => Promise.resolve(papers('r2'));
  await renewal.renew();
  expect(asked.map(({ refresh_token }) => refresh_token)).toEqual(['r1', 'r1']);
  expect(files.pendingKey().equals(key)).toBe(false); // the next renewal has a key of its own
});

test('the vault away until the end: tried again and again, then the identity has expired', async () => {
  answer = () => Promise.reject(new VaultAway('down'));
  const waits: number[] = [];
  while (renewal.isAlive) {
    await renewal.renew();
    waits.push(due!.ms);
    clock.advance(Math.max(due!.ms, DAY_MS / 20));
  }
  expect(waits.slice(0, 7)).toEqual([2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000]);
  expect(renewal.isAlive).toBe(false);
  expect(meter.renewals.away).toBe(waits.length);
});

test('a vault that refuses is asked again, too: an operator may mend it', async () => {
  answer = () => Promise.reject(new VaultRefused(403, 'vault.node_away', 'gone'));
  expect(await renewal.renew()).toBe(false);
  expect([meter.renewals.refused, due!.ms]).toEqual([1, 2000]);
});
