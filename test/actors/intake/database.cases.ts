/** What the database under the store must do: LMDB and the twin in memory. */
import { expect, test } from 'vitest';
import type { Database } from '#actors/intake/embedded/store.ts';

const bytes = (text: string) => Buffer.from(text);
const text = (value: Uint8Array | undefined) => (value === undefined ? undefined : Buffer.from(value).toString());

export function databaseCases(open: () => Database): void {
  test('what a commit put is there when it resolves, and what it deleted is gone', async () => {
    const database = open();
    await database.commit([
      ['a', bytes('1')],
      ['b', bytes('2')],
    ]);
    expect([text(database.get('a')), text(database.get('b'))]).toEqual(['1', '2']);
    await database.commit([
      ['a', null],
      ['b', bytes('3')],
    ]);
    expect([text(database.get('a')), text(database.get('b'))]).toEqual([undefined, '3']);
    await database.close();
  });

  test('a range is ordered by bytes and leaves its end out', async () => {
    const database = open();
    await database.commit(['\xff', 'b', 'a', '\x01'].map((key) => [key, bytes(key)] as const));
    expect([...database.range('\x01', '\xff')].map((entry) => entry.key)).toEqual(['\x01', 'a', 'b']);
    expect([...database.range('a', 'z', true)].map((entry) => entry.key)).toEqual(['b', 'a']);
    await database.close();
  });

  test('one commit at a time', async () => {
    const database = open();
    const first = database.commit([['a', bytes('1')]]);
    await expect(database.commit([['b', bytes('2')]])).rejects.toThrow(/one commit at a time/);
    await first;
    await database.close();
  });
}
