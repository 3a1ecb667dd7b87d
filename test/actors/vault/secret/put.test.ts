import { expect, test } from 'vitest';
import type { Call } from '#actors/host/call.ts';
import { isRefusal } from '#actors/protocol/refusal.ts';
import type { Keeper } from '#actors/vault/keeper.ts';
import { put } from '#actors/vault/secret/put.ts';
import { limits } from '#config/limits.ts';

/** A call that writes a value, and a keeper whose store does with it what the test says. */
function world(value: string, store: (bytes: Buffer) => Promise<unknown>) {
  const seen: Buffer[] = [];
  const keeper = {
    allow: async () => null,
    tell: async () => undefined,
    write: (work: () => Promise<unknown>) => work(),
    parts: {
      secrets: {
        write: (_place: object, bytes: Buffer) => {
          expect(bytes.toString()).toBe(value);
          seen.push(bytes);
          return store(bytes);
        },
      },
    },
  } as unknown as Keeper;
  const call = {
    header: () => '',
    param: () => 'db/password',
    json: () => ({ ok: true, value: { value } }),
    principal: { subject: 'operator' },
  } as unknown as Call;
  return { seen, put: () => put(keeper, call) };
}

test('a value is zeroed whatever becomes of its write', async () => {
  const record = { latest: 1, created_at: '', updated_at: '' };
  const fates: [string, () => Promise<unknown>][] = [
    ['kept', async () => ({ ok: true, record, revision: 1 })],
    ['another was newer', async () => ({ ok: false, latest: 3 })],
    ['the store fails', () => Promise.reject(new Error('the disk is gone'))],
  ];
  for (const [name, fate] of fates) {
    const { seen, put: run } = world('hunter2', fate);
    await run().catch(() => undefined);
    expect(
      seen.map((bytes) => bytes.every((byte) => byte === 0)),
      name,
    ).toEqual([true]);
  }
});

test('a value over the bound is refused and goes nowhere', async () => {
  const { seen, put: run } = world('x'.repeat(limits.vault.valueBytesMax + 1), async () => undefined);
  const outcome = await run();
  expect(isRefusal(outcome) && outcome.code).toBe('vault.too_large');
  expect(seen).toEqual([]);
});
