/** The commit of a read-only tenant's call, by the table of each key that it staged. Contract: docs/contract/tenants.md §1.3. */
import { expect, test } from 'vitest';
import { TABLES, type TableRow } from '#storage/catalogue.ts';
import { u16 } from '#storage/key.ts';
import { MemoryStore } from '#test/storage/memory.ts';
import { ReadOnlyTurn, TenantReadOnly } from '#actors/host/read-only.ts';

const VALUE = Uint8Array.of(1);
const keyOf = (no: number): string => `${u16(no)}key`;

test('a turn that stages only for a login or a read is kept', () => {
  const store = new MemoryStore();
  const turn = new ReadOnlyTurn(store.begin());
  turn.put(keyOf(TABLES.session.no), VALUE);
  turn.del(keyOf(TABLES.one_time_token.no));
  expect(turn.dirty).toBe(true);
  turn.commit();
  expect(store.begin().get(keyOf(TABLES.session.no))).toEqual(VALUE);
});

const REFUSED: [name: string, no: number][] = Object.entries(TABLES)
  .filter(([, row]: [string, TableRow]) => row.whileReadOnly !== true)
  .map(([name, { no }]) => [name, no]);

test.each([...REFUSED, ['a row of an entity', 256], ['an index', 60_000]] as [string, number][])(
  '%s: neither written nor deleted, and nothing of the turn is kept',
  (_name, no) => {
    const store = new MemoryStore();
    const before = store.begin();
    before.put(keyOf(no), VALUE);
    before.commit();
    for (const stage of [
      (turn: ReadOnlyTurn) => turn.put(keyOf(no), Uint8Array.of(2)),
      (turn: ReadOnlyTurn) => turn.del(keyOf(no)),
    ]) {
      const turn = new ReadOnlyTurn(store.begin());
      turn.put(keyOf(TABLES.session.no), VALUE);
      stage(turn);
      expect(() => turn.commit()).toThrow(TenantReadOnly);
      const after = store.begin();
      expect([after.get(keyOf(no)), after.get(keyOf(TABLES.session.no))]).toEqual([VALUE, undefined]);
    }
  },
);

test('which tables a read-only tenant writes is decided, not grown into', () => {
  const writable = Object.entries(TABLES).filter(([, row]: [string, TableRow]) => row.whileReadOnly === true);
  expect(writable.map(([name]) => name).sort()).toEqual([
    'account_address',
    'account_request',
    'api_key',
    'audit_outbox',
    'audit_settled',
    'cursor_key',
    'guest',
    'mail_outbox',
    'oauth_link_index',
    'oauth_state',
    'one_time_token',
    'passkey_secret',
    'passkey_spent',
    'passkey_use',
    'recovery_code',
    'refresh_family',
    'refresh_token',
    'session',
    'totp',
    'url_key',
    'user_index',
  ]);
});
