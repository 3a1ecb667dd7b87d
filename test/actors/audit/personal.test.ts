/** Personal data beside a log: what is kept, found and erased, while the log verifies. Contract: docs/decisions/audit.md AU-24. */
import { appendFileSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { AuditLog } from '#actors/audit/audit-log.ts';
import { timestamp } from '#actors/kit/clock.ts';
import type { Personal } from '#actors/protocol/audit.ts';
import { BookPlace, LOG } from './book.ts';

const DAY_MS = 86_400_000;
const ADA = { ip: '192.0.2.7', email: 'ada@example.org' };
const BOB = { ip: '2001:db8::1', email: 'bob@example.org' };

async function record(place: BookPlace, log: AuditLog, contents: readonly (Personal | undefined)[]): Promise<void> {
  const first = log.lastOf('test') + 1;
  const events = contents.map((personal, at) => ({
    ts: timestamp(place.clock.now()),
    source: 'test',
    source_seq: first + at,
    actor: 'ada',
    action: 'test.row',
    target: '',
    outcome: 'ok',
    request_id: '',
    data: {},
    ...(personal === undefined ? {} : { personal }),
  }));
  const { fate } = await log.append(events);
  expect(fate).toBe('kept');
}

/** The personal data of each record, as a reader gets it. */
async function shown(log: AuditLog, count: number): Promise<(Personal | null)[]> {
  await log.published(count);
  const records = (await log.records(0, count)).map(
    (entry) => JSON.parse(entry.toString()) as { personal_sha256?: string; ts: string },
  );
  const wanted = new Map(
    records.flatMap(({ personal_sha256: hash, ts }) => (hash === undefined ? [] : [[hash, Date.parse(ts)] as const])),
  );
  const found = await log.personal.find(wanted);
  return records.map(({ personal_sha256: hash }) => (hash === undefined ? null : (found.get(hash) ?? null)));
}

test('each record finds its own, and the text of the records holds neither address nor e-mail', async () => {
  const place = new BookPlace();
  const log = await place.open(100).open(LOG);
  await record(place, log, [ADA, BOB, undefined, ADA, { ip: ADA.ip }]);
  expect(await shown(log, 5)).toEqual([ADA, BOB, null, ADA, { ip: ADA.ip }]);
  const entries = (await log.records(0, 5)).map(String).join('\n');
  expect(entries).not.toMatch(/192\.0\.2\.7|2001:db8|@example/);
  // The same caller has one line a day.
  const file = readFileSync(
    join(place.directory, LOG, 'personal', readdirSync(join(place.directory, LOG, 'personal'))[0]!),
  );
  expect(file.toString().trim().split('\n')).toHaveLength(3);
});

test('what is erased is gone from the disk, the rest is found, and the log verifies', async () => {
  const place = new BookPlace();
  const book = place.open(100);
  const log = await book.open(LOG);
  await record(place, log, [ADA, BOB]);
  expect(await log.personal.erase({ email: ADA.email })).toBe(1);
  expect(await log.personal.erase({ email: ADA.email })).toBe(0);
  await record(place, log, [ADA]);
  expect(await shown(log, 3)).toEqual([null, BOB, ADA]);
  await book.close();
  expect(await place.verify()).toMatchObject({ verdict: 'good', size: 3 });
  const directory = join(place.directory, LOG, 'personal');
  const lines = readdirSync(directory).flatMap((name) =>
    readFileSync(join(directory, name), 'utf8').trim().split('\n'),
  );
  expect(lines.filter((line) => line.includes(ADA.email))).toHaveLength(1);
});

test('an e-mail is erased however its case was typed', async () => {
  const place = new BookPlace();
  const log = await place.open(100).open(LOG);
  await record(place, log, [{ email: 'Ada@Example.org' }, BOB]);
  expect(await log.personal.erase({ email: 'ada@example.ORG' })).toBe(1);
  expect(await shown(log, 2)).toEqual([null, BOB]);
});

test('whole days before a time go, later ones stay', async () => {
  const place = new BookPlace();
  const log = await place.open(100).open(LOG);
  await record(place, log, [ADA]);
  place.clock.advance(3 * DAY_MS);
  await record(place, log, [ADA]);
  expect(await log.personal.erase({ beforeMs: place.clock.now() - DAY_MS })).toBe(1);
  expect(await shown(log, 2)).toEqual([null, ADA]);
});

test('a line that a crash has torn costs itself alone', async () => {
  const place = new BookPlace();
  const first = place.open(100);
  await record(place, await first.open(LOG), [ADA]);
  await first.close();
  const directory = join(place.directory, LOG, 'personal');
  appendFileSync(join(directory, readdirSync(directory)[0]!), '0123456789abcdef {"email":"to');
  const log = await place.open(100).open(LOG);
  await record(place, log, [BOB]);
  expect(await shown(log, 2)).toEqual([ADA, BOB]);
});

test('a damaged line is reported once, and goes with the first erasure of its day, whatever that is about', async () => {
  const place = new BookPlace();
  const book = place.open(100);
  const log = await book.open(LOG);
  await record(place, log, [ADA, BOB]);
  const directory = join(place.directory, LOG, 'personal');
  const file = join(directory, readdirSync(directory)[0]!);
  writeFileSync(file, readFileSync(file, 'utf8').replace('ada@example.org', 'adb@example.org'));
  expect([await shown(log, 2), await shown(log, 2)]).toEqual([
    [null, BOB],
    [null, BOB],
  ]);
  expect(place.warned).toEqual([
    expect.objectContaining({ log_id: LOG, path: `personal/${readdirSync(directory)[0]}`, lines: 1 }),
  ]);
  expect(await log.personal.erase({ email: ADA.email })).toBe(0);
  expect(readFileSync(file, 'utf8')).not.toContain('adb@example.org');
  expect(await shown(log, 2)).toEqual([null, BOB]);
});
