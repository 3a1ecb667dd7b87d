import { expect, test } from 'vitest';
import { limits } from '#config/limits.ts';
import { Settlements } from '#actors/host/outbox/settlements.ts';

interface Answer {
  readonly tenantNo: number;
  readonly id: string;
}

function gathering(fails: (ids: readonly string[]) => boolean = () => false) {
  const commits: string[] = [];
  const timers: (() => void)[] = [];
  const settlements = new Settlements<Answer>({
    settle: async (tenantNo, answers) => {
      const ids = answers.map(({ id }) => id);
      if (fails(ids)) throw new Error(`no ${ids.join()}`);
      commits.push(`${tenantNo}: ${ids.join()}`);
      await Promise.resolve();
    },
    after: (ms, run) => {
      expect(ms).toBe(limits.host.settleMs);
      timers.push(run);
    },
  });
  return { settlements, commits, tick: () => timers.splice(0).forEach((run) => run()) };
}

test('what comes within a moment is settled in one commit for each tenant', async () => {
  const { settlements, commits, tick } = gathering();
  const all = [
    settlements.add({ tenantNo: 1, id: 'a' }),
    settlements.add({ tenantNo: 2, id: 'b' }),
    settlements.add({ tenantNo: 1, id: 'c' }),
  ];
  expect(commits).toEqual([]);
  tick();
  expect(await Promise.all(all)).toEqual([null, null, null]);
  expect(commits).toEqual(['1: a,c', '2: b']);
  const next = settlements.add({ tenantNo: 1, id: 'd' });
  tick();
  await next;
  expect(commits.at(-1)).toBe('1: d');
});

test('a full group does not wait, and its timer settles nothing of the next one', async () => {
  const { settlements, commits, tick } = gathering();
  const most = limits.host.settledTogetherMax;
  await Promise.all(Array.from({ length: most }, (_, id) => settlements.add({ tenantNo: 1, id: String(id) })));
  expect(commits).toHaveLength(1);
  const late = settlements.add({ tenantNo: 1, id: 'late' });
  tick();
  await late;
  expect(commits.at(-1)).toBe('1: late');
});

test('one that cannot be settled is refused alone', async () => {
  const { settlements, commits, tick } = gathering((ids) => ids.includes('bad'));
  const all = ['a', 'bad', 'c'].map((id) => settlements.add({ tenantNo: 1, id }));
  tick();
  const ended = await Promise.allSettled(all);
  expect(ended.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(commits).toEqual(['1: a', '1: c']);
});

test('closing settles what waits, and what comes later at once', async () => {
  const { settlements, commits, tick } = gathering();
  const waits = [settlements.add({ tenantNo: 1, id: 'a' }), settlements.add({ tenantNo: 2, id: 'b' })];
  await settlements.close();
  expect(commits).toEqual(['1: a', '2: b']);
  tick();
  await Promise.all(waits);
  expect(commits).toHaveLength(2);
  await settlements.add({ tenantNo: 1, id: 'late' });
  expect(commits.at(-1)).toBe('1: late');
});
