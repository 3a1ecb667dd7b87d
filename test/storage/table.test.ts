/** Records under tuple keys. */
import { expect, it } from 'vitest';
import { TABLES } from '#storage/catalogue.ts';
import { Corruption } from '#storage/fault.ts';
import { MemoryStore } from './memory.ts';
import type { Lookup } from '#storage/port.ts';
import { encodeRecord } from '#storage/record.ts';
import { Table } from '#storage/table.ts';

it('gives the first record of a scan, and closes what it has read from', () => {
  const table = new Table<string>('recovery_code', TABLES.recovery_code);
  const turn = new MemoryStore().begin();
  for (const no of [2, 1]) table.put(turn, `a ${no}`, 'a', no);
  let open = 0;
  const reader: Lookup = {
    get: (key) => turn.get(key),
    *range(from, to, reverse) {
      open++;
      try {
        yield* turn.range(from, to, reverse);
      } finally {
        open--;
      }
    },
  };
  expect([table.first(reader, ['a']), table.first(reader), table.first(reader, ['b'])]).toEqual([
    'a 1',
    'a 1',
    undefined,
  ]);
  expect(open).toBe(0);
});

it('goes back from a key, or from the end', () => {
  const table = new Table<string>('recovery_code', TABLES.recovery_code);
  const beside = new Table<string>('totp', TABLES.totp);
  const turn = new MemoryStore().begin();
  for (const part of ['a', 'b', 'c']) table.put(turn, part, part);
  beside.put(turn, 'of another table', 'z');
  expect([...table.scanBack(turn)]).toEqual(['c', 'b', 'a']);
  expect([...table.scanBack(turn, ['c'])]).toEqual(['b', 'a']);
  expect([...table.scanBack(turn, ['bb'])]).toEqual(['b', 'a']);
  expect([...table.scanBack(turn, ['a'])]).toEqual([]);
});

it('finds the record under a key or the next one behind it, within what begins alike', () => {
  const table = new Table<string>('recovery_code', TABLES.recovery_code);
  const turn = new MemoryStore().begin();
  for (const part of ['b', 'd']) table.put(turn, part, 'a', part);
  table.put(turn, 'of another', 'b', 'a');
  const found = ['a', 'b', 'c', 'd', 'e'].map((part) => table.nearest(turn, ['a'], part));
  const b = { record: 'b', isOwn: false };
  const d = { record: 'd', isOwn: false };
  expect(found).toEqual([b, { ...b, isOwn: true }, d, { ...d, isOwn: true }, undefined]);
});

it('does without a next record that is damaged, and not without its own', () => {
  const table = new Table<string>('recovery_code', TABLES.recovery_code);
  const turn = new MemoryStore().begin();
  turn.put(table.key('a', 'b'), Buffer.from([1, 0, 0, 0, 0, 0]));
  expect(table.nearest(turn, ['a'], 'a')).toBeUndefined();
  expect(() => table.nearest(turn, ['a'], 'b')).toThrow(Corruption);
});

it('keeps a record decoded from its write on, and decodes what another wrote', () => {
  const table = new Table<{ readonly n: number }>('recovery_code', TABLES.recovery_code);
  const turn = new MemoryStore().begin();
  expect(table.kept(turn, 'a')).toBeUndefined();
  table.putKept(turn, { n: 1 }, 'a');
  expect([table.kept(turn, 'a'), table.get(turn, 'a')]).toEqual([{ n: 1 }, { n: 1 }]);
  turn.put(table.key('a'), encodeRecord(TABLES.recovery_code.version, { n: 2 }));
  expect(table.kept(turn, 'a')).toEqual({ n: 2 });
});

it('refuses a record that a newer version wrote, alone and in a scan', () => {
  const table = new Table<object>('recovery_code', TABLES.recovery_code);
  const turn = new MemoryStore().begin();
  turn.put(table.key('a'), encodeRecord(2, { x: 1 }));
  expect(() => table.get(turn, 'a')).toThrow(
    'recovery_code: the record has version 2, this skep knows versions up to 1',
  );
  expect(() => [...table.scan(turn)]).toThrow('this skep knows versions up to 1');
});

it('scans the records of whole parts, in order, and none of a text that goes on', () => {
  const table = new Table<string>('recovery_code', TABLES.recovery_code);
  const turn = new MemoryStore().begin();
  for (const owner of ['a', 'a\u0000', 'a\u0000b', 'ab', 'b'])
    for (const no of [2, 1]) table.put(turn, `${owner} ${no}`, owner, no);
  expect([...table.scan(turn, ['a'])]).toEqual(['a 1', 'a 2']);
  expect([...table.scan(turn, ['a'], true)]).toEqual(['a 2', 'a 1']);
  expect([...table.scan(turn, ['a\u0000'])]).toEqual(['a\u0000 1', 'a\u0000 2']);
  expect([...table.scan(turn, ['a', 2])]).toEqual(['a 2']);
  expect([...table.scan(turn)]).toHaveLength(10);
});

it('gives the parts of keys beside their records, from a key on; none of a key that was cut', () => {
  const table = new Table<number>('recovery_code', TABLES.recovery_code);
  const turn = new MemoryStore().begin();
  table.put(turn, 1, 'a', 'é\u0000ü');
  table.put(turn, 2, 'b', 'x'.repeat(3000));
  table.put(turn, 3, 'c', '');
  expect([...table.entriesFrom(turn, [])]).toEqual([
    { parts: ['a', 'é\u0000ü'], record: 1 },
    { parts: null, record: 2 },
    { parts: ['c', ''], record: 3 },
  ]);
  expect([...table.entriesFrom(turn, ['b', 'y'])]).toEqual([{ parts: ['c', ''], record: 3 }]);
});

it('scans the others: what lies under the keys that are left out is not even decoded', () => {
  const table = new Table<string>('recovery_code', TABLES.recovery_code);
  const turn = new MemoryStore().begin();
  for (const part of ['a', 'b', 'c']) table.put(turn, part, 'x', part);
  turn.put(table.key('x', 'b'), Uint8Array.of(1, 2, 3));
  table.put(turn, 'beside', 'y', 'a');
  expect([...table.scanOthers(turn, ['x'], new Set([table.key('x', 'b')]))]).toEqual(['a', 'c']);
  expect(() => [...table.scanOthers(turn, ['x'], new Set([table.key('x', 'a')]))]).toThrow(Corruption);
});
