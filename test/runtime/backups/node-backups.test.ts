/** The order of a backup, and what becomes of one that fails, with hosts of the test's own. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { limits } from '#config/limits.ts';
import { parsePosition } from '#actors/protocol/position.ts';
import type { DegradedReport, Degraded } from '#actors/protocol/degraded.ts';
import type { TenantEntry } from '#actors/protocol/topics.ts';
import { CopyWatch } from '#runtime/backups/copy-watch.ts';
import { NodeBackups } from '#runtime/backups/node-backups.ts';
import { CONTROL_ENTRY } from '#runtime/control-plane.ts';
import type { Job } from '#runtime/copies/job.ts';
import { resolveText } from '#test/kit/platform-text.ts';

const PART = { sha256: 'a'.repeat(64), bytes: 10 };
const HOUR_MS = 3_600_000;
let dir: string;

beforeEach(() => {
  vi.useFakeTimers({ now: Date.parse('2026-11-25T00:00:00Z') });
  dir = mkdtempSync(join(tmpdir(), 'skep-node-backups-'));
});
afterEach(() => {
  vi.useRealTimers();
  rmSync(dir, { recursive: true, force: true });
});

function tenant(no: number, key: string): TenantEntry {
  return { no, position: parsePosition(key)!, shard: 0, state: 'active', localdir: '/x' };
}

/** A node whose hosts answer at once, unless `during` has something else in mind. */
function nodeOf(during: (job: Job) => unknown = () => undefined) {
  const jobs: Job[] = [];
  const answers: Promise<unknown>[] = [];
  const trouble = new Map<string, DegradedReport>();
  const lines: string[] = [];
  const entries = [CONTROL_ENTRY, tenant(2, 'a:b:c:d'), tenant(3, 'a:b:c:e')];
  const sets: string[] = [];
  const answer = async (job: Job): Promise<unknown> => {
    const own = await during(job);
    if (own !== undefined) return own;
    if (job.kind === 'set.tenant')
      return {
        tenant: { key: job.header.tenant, no: job.no, rows: PART, list: PART, files: 1, file_bytes: 5 },
        newBytes: 15,
      };
    if (job.kind === 'set.publish') sets.unshift(job.manifest.id);
    if (job.kind === 'set.list')
      return sets
        .map((id) => ({ id, moment: '2026-11-25T00:00:00Z', ended_at: '2026-11-25T00:00:01Z', bytes: 1 }))
        .toReversed();
    if (job.kind === 'set.tree')
      return { tree: { as: job.as, from: job.from, list: PART, files: 1, bytes: 5 }, newBytes: 5 };
    return job.kind === 'set.retire' ? { sets: 0, parts: 0 } : null;
  };
  const platform = resolveText(
    `storage: {dir: ${dir}/data}\nbackups: {to: ${dir}/sets, verify: off}\nintake: {storage: {backend: jsonl}}\n`,
  );
  const log = {
    info: () => undefined,
    debug: () => undefined,
    warn: (_f: object, line: string) => void lines.push(line),
    error: (_f: object, line: string) => void lines.push(line),
  };
  const degraded: Degraded = {
    report: (entry) => void trouble.set(entry.name, entry),
    clear: (_scope, name) => void trouble.delete(name),
  };
  const backups = new NodeBackups({
    platform: () => platform,
    hosts: {
      shardCount: 1,
      beginJob: async (_place, job) => {
        jobs.push(job);
        return answers.push(answer(job)) - 1;
      },
      lookAtJob: async (_place, id) => ({ ended: true, report: await answers[id] }),
    },
    directory: { all: () => [...entries] },
    channel: () => undefined,
    clock: { now: () => Date.now() },
    log,
    degraded,
    copy: new CopyWatch({ log, degraded, everyMs: 0 }),
    told: () => undefined,
  });
  const metric = (name: string): number => backups.families().find((family) => family.name === name)!.samples[0]!.value;
  return { backups, entries, jobs, lines, metric, trouble };
}

const kindsOf = (jobs: readonly Job[]): string[] =>
  jobs.map((job) => (job.kind === 'set.tenant' ? job.header.tenant : job.kind));

test('the control plane is taken last, the manifest after all parts, retention after it', async () => {
  const { backups, jobs, metric } = nodeOf();
  expect(await backups.now()).toMatchObject({ tenants: 3, files: 3, bytes: 45 });
  expect(kindsOf(jobs)).toEqual(['a:b:c:d', 'a:b:c:e', CONTROL_ENTRY.position.key, 'set.publish', 'set.retire']);
  expect(metric('skep_backup_last_size_bytes')).toBe(45);
  expect(metric('skep_backup_last_success_timestamp_seconds')).toBe(Date.now() / 1000);
  expect(metric('skep_backup_every_seconds')).toBe(3600);
});

test('a tenant that is made meanwhile is taken too, and the control plane again; one that is deleted is left out', async () => {
  let changed = false;
  const it = nodeOf((job) => {
    if (job.kind !== 'set.tenant' || job.no !== 2 || changed) return;
    changed = true;
    it.entries.splice(2, 1, tenant(4, 'a:b:c:f'));
  });
  await it.backups.now();
  const manifest = it.jobs.flatMap((job) => (job.kind === 'set.publish' ? [job.manifest] : []))[0]!;
  expect(manifest.tenants.map(({ no }) => no)).toEqual([1, 2, 4]);
  expect(kindsOf(it.jobs).filter((kind) => kind === CONTROL_ENTRY.position.key)).toHaveLength(2);
});

test('tenants that never rest fail the backup after some rounds', async () => {
  let no = 10;
  const it = nodeOf((job) => {
    if (job.kind === 'set.tenant' && job.no === 1) it.entries.push(tenant(++no, `a:b:c:t${no}`));
  });
  await expect(it.backups.now()).rejects.toThrow('tenants were made, moved or deleted all the while');
  expect(kindsOf(it.jobs)).not.toContain('set.publish');
});

test('a failure is told with what to do, listed, counted, and gone with the next success', async () => {
  let broken = true;
  const { backups, lines, metric, trouble } = nodeOf((job) => {
    if (broken && job.kind === 'set.publish') throw new Error('/sets cannot be written: no space left');
  });
  await expect(backups.now()).rejects.toThrow('no space left');
  expect(lines[0]).toMatch(
    /^the node was not backed up: .*no space left.*Sets made before are as they were.*skep backup now/,
  );
  expect(trouble.get('backups')).toMatchObject({ scope: 'backup', lasts: 'cleared' });
  expect(metric('skep_backup_failures_total')).toBe(1);
  expect(await backups.status()).toMatchObject({ failed: expect.stringContaining('no space left') });
  broken = false;
  await backups.now();
  expect(trouble.size).toBe(0);
  expect(metric('skep_backup_failures_total')).toBe(1);
  expect(await backups.status()).not.toHaveProperty('failed');
});

test('where only retention fails the set counts, and what fails is listed by itself', async () => {
  let broken = true;
  const { backups, lines, metric, trouble } = nodeOf((job) => {
    if (broken && job.kind === 'set.retire') throw new Error('the manifest of set x was altered');
  });
  expect(await backups.now()).toMatchObject({ removed_sets: 0 });
  expect(metric('skep_backup_failures_total')).toBe(0);
  expect(lines[0]).toMatch(/^the node was backed up, .*was altered.*remove its manifest/);
  expect([...trouble.keys()]).toEqual(['backups keep']);
  broken = false;
  await backups.now();
  expect(trouble.size).toBe(0);
});

test('one at a time: another is refused, and one that is due meanwhile is skipped with a line', async () => {
  const gate = Promise.withResolvers<void>();
  const { backups, jobs, lines } = nodeOf(async (job) => {
    if (job.kind === 'set.publish') await gate.promise;
  });
  await backups.start();
  await vi.advanceTimersByTimeAsync(limits.backup.firstAfterMs + limits.backup.tickMs);
  await expect(backups.now()).rejects.toThrow('a backup runs since 2026-11-25T00:01:');
  await vi.advanceTimersByTimeAsync(HOUR_MS);
  expect(lines).toEqual([expect.stringContaining('this one is skipped')]);
  gate.resolve();
  await vi.advanceTimersByTimeAsync(HOUR_MS);
  expect(kindsOf(jobs).filter((kind) => kind === 'set.publish')).toHaveLength(2);
  backups.stop();
  await vi.advanceTimersByTimeAsync(3 * HOUR_MS);
  expect(kindsOf(jobs).filter((kind) => kind === 'set.publish')).toHaveLength(2);
});

test('a failed one is tried again before the next is due', async () => {
  let failures = 1;
  const { backups, jobs } = nodeOf((job) => {
    if (job.kind === 'set.publish' && failures-- > 0) throw new Error('away');
  });
  await backups.start();
  await vi.advanceTimersByTimeAsync(limits.backup.firstAfterMs + limits.backup.retryMs + 2 * limits.backup.tickMs);
  expect(kindsOf(jobs).filter((kind) => kind === 'set.publish')).toHaveLength(2);
  backups.stop();
});

test('parts that no set names are looked for once a day', async () => {
  const { backups, jobs } = nodeOf();
  const sweeps = (): (number | null)[] => jobs.flatMap((job) => (job.kind === 'set.retire' ? [job.sweepAt] : []));
  await backups.now();
  await backups.now();
  vi.setSystemTime(Date.now() + limits.backup.sweepMs);
  await backups.now();
  expect(sweeps().map((at) => at !== null)).toEqual([true, false, true]);
});

test('a node whose file names no place makes none, and says how', async () => {
  const { backups } = nodeOf();
  const off = new NodeBackups({
    ...({} as ConstructorParameters<typeof NodeBackups>[0]),
    platform: () => resolveText(''),
  });
  await expect(off.now()).rejects.toThrow('add for example backups: { to:');
  expect(await off.status()).toEqual({ backups: 'off' });
  expect(await backups.status()).toMatchObject({ backups: 'on', newest: 'none' });
});
