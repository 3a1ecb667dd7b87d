/** Each number of a source is taken once, and never forgotten nor believed before its time. Contract: docs/contract/audit.md §5, §6 (order, durability). */
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { AuditLog, refusedHands, type LogHands } from '#actors/audit/audit-log.ts';
import { PersonalData } from '#actors/audit/personal.ts';
import { logKey } from '#actors/audit/key-port.ts';
import { SimulatedClock } from '#test/kit/simulated-clock.ts';
import { IdSource } from '#actors/kit/id.ts';
import type { AuditEvent } from '#actors/protocol/audit.ts';
import type { Fate } from '#storage/segment/appender.ts';
import { LogRefused } from '#storage/segment/refused.ts';

interface Write {
  readonly count: number;
  readonly grown: () => void;
  readonly settle: (fate: Fate) => void;
}

/** A log whose writes end when the test says so. */
async function heldLog() {
  const writes: Write[] = [];
  const sources = new Map<string, number>();
  const key = await logKey({ signingKey: async () => generateKeyPairSync('ed25519').privateKey }, 'k', 'k');
  const none = refusedHands(undefined as never, undefined, new LogRefused('held', ''));
  const hands: LogHands = {
    ...none,
    append: (entries, _durability, grown) =>
      new Promise((settle) => writes.push({ count: entries.length, grown: grown!, settle })),
  };
  const clock = new SimulatedClock();
  const ids = new IdSource(clock);
  const personal = new PersonalData({ files: undefined as never, clock, random: randomBytes });
  const who = { id: 'node/test', tenant: '', origin: 'skep/node/test', key, durability: 'strict' } as const;
  return { log: new AuditLog({ ...who, log: hands, sources, ids, personal }), writes, sources };
}

const event = (source_seq: number, source = 'test'): AuditEvent => ({
  ts: '2026-01-01T00:00:00.000Z',
  source,
  source_seq,
  actor: 'ada',
  action: 'test.row',
  target: '',
  outcome: 'ok',
  request_id: '',
  data: {},
});

test('a signed head tells of no number whose record is not in the tree: after a crash it would pass for a repetition', async () => {
  const { log, writes, sources } = await heldLog();
  const kept = log.append([event(1), event(2)]);
  expect(log.lastOf('test')).toBe(2);
  expect(sources.get('test')).toBeUndefined();
  writes[0]!.grown();
  expect(sources.get('test')).toBe(2);
  writes[0]!.settle('kept');
  expect(await kept).toEqual({ fate: 'kept', index: 0, count: 2 });
});

test('a repetition is not acknowledged before the write is that it repeats', async () => {
  const { log, writes } = await heldLog();
  const first = log.append([event(1)]);
  let told: unknown = null;
  const second = log.append([event(1)]).then((appended) => (told = appended));
  await new Promise(setImmediate);
  expect(told).toBeNull();
  expect(writes).toHaveLength(1);
  writes[0]!.settle('full');
  expect((await first).fate).toBe('full');
  await second;
  expect(told).toEqual({ fate: 'full', index: null, count: 0 });
});

test('what was shed may come again, however many writes were shed together', async () => {
  const { log, writes } = await heldLog();
  const both = [log.append([event(1), event(1, 'other')]), log.append([event(2), event(3)])];
  for (const { settle } of writes) settle('full');
  await Promise.all(both);
  expect([log.lastOf('test'), log.lastOf('other')]).toEqual([0, 0]);
  void log.append([event(1), event(2)]);
  expect(writes[2]!.count).toBe(2);
});
