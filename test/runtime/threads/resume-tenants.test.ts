import { expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import type { TenantEntry } from '#actors/protocol/topics.ts';
import { ResumeTenants } from '#runtime/threads/resume-tenants.ts';

const tenants = (count: number): TenantEntry[] =>
  Array.from({ length: count }, (_, no) => ({ no }) as unknown as TenantEntry);

test('looks at each tenant once, so many a turn, and at those that come later', () => {
  const seen: number[] = [];
  const turns: (() => void)[] = [];
  const resume = new ResumeTenants(
    ({ no }) => void seen.push(no),
    (run) => void turns.push(run),
  );
  const slice = limits.host.resumeSlice;
  resume.add(tenants(slice + 1));
  expect([seen.length, turns.length]).toEqual([0, 1]);
  turns.shift()!();
  resume.add(tenants(slice + 2));
  expect([seen.length, turns.length]).toEqual([slice, 1]);
  turns.shift()!();
  expect(turns).toEqual([]);
  expect(seen).toEqual(Array.from({ length: slice + 2 }, (_, no) => no));
});
