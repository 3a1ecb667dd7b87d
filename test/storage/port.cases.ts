/** What every store does, memory or disk: both implementations of the port run these. */
import { describe, expect, it } from 'vitest';
import { limits } from '#config/limits.ts';
import type { Entry, Reader, Store } from '#storage/port.ts';
import { bytes, text } from './place.ts';

/** `open` gives an empty store; `settle` (if any) moves what is pending into its final place. */
export interface Candidate {
  readonly store: Store;
  readonly settle: () => Promise<void>;
}

export function portCases(name: string, open: () => Promise<Candidate>): void {
  describe(`${name} keeps the port`, () => {
    pointCases(open);
    rangeCases(open);
    turnCases(open);
    snapshotCases(open);
  });
}

const keysOf = (entries: Iterable<Entry>): string[] => Array.from(entries, ({ key }) => key);
const dump = (reader: Reader): string[] =>
  Array.from(reader.range('', '\xff'), ({ key, value }) => `${key}=${text(value)}`);

function write(store: Store, writes: Readonly<Record<string, string | null>>): number {
  const turn = store.begin();
  for (const [key, value] of Object.entries(writes)) {
    if (value === null) turn.del(key);
    else turn.put(key, bytes(value));
  }
  turn.commit();
  return turn.newest;
}

function pointCases(open: () => Promise<Candidate>): void {
  it('gives what was put, and nothing for what never was', async () => {
    const { store } = await open();
    write(store, { a: '1', empty: '' });
    const turn = store.begin();
    expect([text(turn.get('a')), text(turn.get('empty')), turn.get('b')]).toEqual(['1', '', undefined]);
  });

  it('overwrites and deletes, before and after settling', async () => {
    const { store, settle } = await open();
    write(store, { a: '1', b: '1', c: '1' });
    await settle();
    write(store, { a: '2', b: null });
    expect(dump(store.begin())).toEqual(['a=2', 'c=1']);
    await settle();
    expect(dump(store.begin())).toEqual(['a=2', 'c=1']);
    expect(store.begin().get('b')).toBeUndefined();
  });

  it('keeps every byte of keys and values', async () => {
    const { store, settle } = await open();
    const all = String.fromCharCode(...Array.from({ length: 256 }, (_, i) => i));
    const long = all.repeat(7);
    write(store, { [all]: all, [long]: long.repeat(40) });
    await settle();
    const turn = store.begin();
    expect(text(turn.get(all))).toBe(all);
    expect(text(turn.get(long))).toBe(long.repeat(40));
    expect(keysOf(turn.range('', '\xff'))).toEqual([all, long]);
  });
}

function rangeCases(open: () => Promise<Candidate>): void {
  it('scans from inclusive to exclusive, in byte order, both ways', async () => {
    const { store, settle } = await open();
    write(store, { b: '', a: '', '\xe4': '', c: '', 'a\x00': '' });
    await settle();
    const turn = store.begin();
    expect(keysOf(turn.range('a', 'c'))).toEqual(['a', 'a\x00', 'b']);
    expect(keysOf(turn.range('a', 'c', true))).toEqual(['b', 'a\x00', 'a']);
    expect(keysOf(turn.range('', '\xff', true))).toEqual(['\xe4', 'c', 'b', 'a\x00', 'a']);
    expect(keysOf(turn.range('c', 'a'))).toEqual([]);
    expect(keysOf(turn.range('b', 'b', true))).toEqual([]);
  });

  it('merges what is settled, pending and staged', async () => {
    const { store, settle } = await open();
    write(store, { a: 'old', b: 'old', c: 'old', d: 'old' });
    await settle();
    write(store, { b: 'new', c: null, e: 'new' });
    const turn = store.begin();
    turn.put('a0', bytes('own'));
    turn.put('b', bytes('own'));
    turn.del('d');
    turn.put('c', bytes('own'));
    expect(dump(turn)).toEqual(['a=old', 'a0=own', 'b=own', 'c=own', 'e=new']);
    expect(keysOf(turn.range('a', 'f', true))).toEqual(['e', 'c', 'b', 'a0', 'a']);
    expect(keysOf(turn.range('a0', 'c'))).toEqual(['a0', 'b']);
  });

  it('shows a scan the state at its first step, whatever its turn writes meanwhile', async () => {
    const { store } = await open();
    write(store, { a: '1', b: '1', c: '1' });
    const turn = store.begin();
    turn.put('d', bytes('1'));
    const seen: string[] = [];
    for (const { key } of turn.range('', '\xff')) {
      seen.push(key);
      turn.del(key);
      turn.put(`${key}2`, bytes('2'));
    }
    expect(seen).toEqual(['a', 'b', 'c', 'd']);
    expect(dump(turn)).toEqual(['a2=2', 'b2=2', 'c2=2', 'd2=2']);
  });

  it('can be left early', async () => {
    const { store, settle } = await open();
    write(store, { a: '', b: '', c: '' });
    await settle();
    write(store, { bb: '' });
    for (const { key } of store.begin().range('', '\xff')) {
      if (key === 'b') break;
    }
    const range = store.begin().range('', '\xff');
    expect(range.next().value?.key).toBe('a');
    expect(range.return?.().done).toBe(true);
    expect(range.next().done).toBe(true);
  });
}

function turnCases(open: () => Promise<Candidate>): void {
  it('commits what was made ready in steps as it commits all else, with what was staged behind the last step', async () => {
    const { store, settle } = await open();
    const many = limits.storage.preparedCellsMin;
    const key = (i: number): string => `k${String((i * 7919) % many).padStart(6, '0')}`;
    write(store, { k000001: 'before', k000002: 'before', z: 'before' });
    for (const overwrites of [false, true]) {
      const turn = store.begin();
      for (let i = 0; i < many; i++) {
        if (i % 7 === 0) turn.del(key(i));
        else turn.put(key(i), bytes(`${String(overwrites)} ${i}`));
      }
      for (const step of turn.prepare()) expect(step).toBeUndefined();
      turn.put('z', bytes('after'));
      if (overwrites) turn.put(key(1), bytes('last'));
      const staged = dump(turn);
      expect(staged.filter((line) => line.endsWith('=last'))).toHaveLength(overwrites ? 1 : 0);
      turn.commit();
      expect(dump(store.begin())).toEqual(staged);
      expect([text(store.begin().get(key(3))), store.begin().get(key(7))]).toEqual([
        `${String(overwrites)} 3`,
        undefined,
      ]);
      const later = write(store, { [key(3)]: 'later', [key(7)]: 'back' });
      expect([text(store.begin().get(key(3))), text(store.begin().get(key(7)))]).toEqual(['later', 'back']);
      await new Promise<void>((resolve) => store.whenDurable(later, resolve));
      const whole = dump(store.begin());
      await settle();
      expect(dump(store.begin())).toEqual(whole);
      expect(whole).toHaveLength(staged.length + 1);
    }
  });

  it('reads its own writes, which no other turn sees before commit', async () => {
    const { store } = await open();
    const turn = store.begin();
    expect(turn.dirty).toBe(false);
    turn.put('a', bytes('1'));
    expect([turn.dirty, text(turn.get('a')), store.begin().get('a')]).toEqual([true, '1', undefined]);
    turn.commit();
    expect([turn.dirty, text(turn.get('a')), text(store.begin().get('a'))]).toEqual([false, '1', '1']);
    expect(turn.newest).toBeGreaterThan(0);
  });

  it('drops what is staged on abort', async () => {
    const { store } = await open();
    write(store, { a: '1' });
    const turn = store.begin();
    turn.put('a', bytes('2'));
    turn.put('b', bytes('2'));
    turn.abort();
    expect([turn.dirty, text(turn.get('a')), turn.get('b')]).toEqual([false, '1', undefined]);
    turn.commit();
    expect(dump(store.begin())).toEqual(['a=1']);
  });

  it('may commit again', async () => {
    const { store } = await open();
    const turn = store.begin();
    turn.put('a', bytes('1'));
    turn.commit();
    const first = turn.newest;
    turn.put('b', bytes('2'));
    turn.commit();
    expect(turn.newest).toBeGreaterThan(first);
    expect(dump(store.begin())).toEqual(['a=1', 'b=2']);
  });

  it('calls back when its number is durable', async () => {
    const { store } = await open();
    const newest = write(store, { a: '1' });
    await new Promise<void>((resolve) => store.whenDurable(newest, resolve));
    let called = false;
    store.whenDurable(0, () => (called = true));
    expect(called).toBe(true);
  });
}

function snapshotCases(open: () => Promise<Candidate>): void {
  it('freezes a view across later commits', async () => {
    const { store, settle } = await open();
    write(store, { a: '1', b: '1' });
    await settle();
    const newest = write(store, { b: '2', c: '2' });
    const snapshot = store.snapshot();
    expect(snapshot.newest === 0 || snapshot.newest === newest).toBe(true);
    write(store, { a: '3', b: null, c: '3', d: '3' });
    await settle();
    write(store, { a: null });
    expect(dump(snapshot)).toEqual(['a=1', 'b=2', 'c=2']);
    expect([text(snapshot.get('a')), text(snapshot.get('b')), snapshot.get('d')]).toEqual(['1', '2', undefined]);
    expect(keysOf(snapshot.range('a', 'c', true))).toEqual(['b', 'a']);
    snapshot.close();
    expect(dump(store.begin())).toEqual(['c=3', 'd=3']);
  });
}
