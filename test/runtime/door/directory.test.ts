import { expect, test } from 'vitest';
import { INACTIVE_TENANT, UNKNOWN_POSITION } from '#actors/protocol/frame.ts';
import { parsePosition } from '#actors/protocol/position.ts';
import type { TenantEntry } from '#actors/protocol/topics.ts';
import { Directory } from '#runtime/door/directory.ts';

const entry = (key: string, more: Partial<TenantEntry> = {}): TenantEntry => ({
  no: 2,
  position: parsePosition(key)!,
  shard: 0,
  state: 'active',
  localdir: null,
  ...more,
});

test('changes some, and leaves the others: a number that is gone takes its key along unless another has it by now', () => {
  const directory = new Directory([]);
  const gone: string[] = [];
  directory.onGone = (key) => gone.push(key);
  directory.put([entry('a:b:c:one'), entry('a:b:c:two', { no: 3 }), entry('a:b:c:three', { no: 4 })]);
  directory.change({ put: [entry('a:b:c:two', { no: 5 })], gone: [2, 3, 99] });
  expect(new Set(directory.all().map(({ no }) => no))).toEqual(new Set([4, 5]));
  expect(gone).toEqual(['a:b:c:one', 'a:b:c:two']);
  expect(directory.get('a:b:c:one')).toBeUndefined();
  expect(directory.byNo(3)).toBeUndefined();
  directory.change({ put: [], gone: [3] });
  expect(directory.get('a:b:c:two')?.no).toBe(5);
});

test('finds by key, replaces by key, and tells a configured tenant from an invented one', () => {
  const directory = new Directory(['a:b:c:configured']);
  directory.put([entry('a:b:c:one', { state: 'registered' })]);
  directory.put([entry('a:b:c:one'), entry('a:b:c:two', { no: 3 })]);
  expect(directory.get('a:b:c:one')?.state).toBe('active');
  expect(directory.all()).toHaveLength(2);
  expect(directory.get('a:b:c:configured')).toBeUndefined();
  expect(directory.reasonFor('a:b:c:configured')).toBe(INACTIVE_TENANT);
  expect(directory.reasonFor('a:b:c:one')).toBe(INACTIVE_TENANT);
  for (const key of ['a:b:c:invented', '__proto__', 'constructor'])
    expect(directory.reasonFor(key)).toBe(UNKNOWN_POSITION);
});
