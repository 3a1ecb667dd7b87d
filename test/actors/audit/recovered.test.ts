/** A tail that a crash has torn. Contract: docs/contract/audit.md §6 (order: a torn tail is cut, kept beside, and recorded). */
import { appendFileSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { BookPlace, LOG } from './book.ts';

test('a torn tail is cut, kept beside the file, and logged', async () => {
  const place = new BookPlace();
  const book = place.open(100);
  await place.append(await book.open(LOG), 3);
  await book.close();
  const segments = join(place.directory, LOG, 'segments');
  const file = '0000000000000000.log';
  const whole = readFileSync(join(segments, file)).length;
  appendFileSync(join(segments, file), '0badc0de 17 {"half":');
  const again = place.open(100);
  const log = await again.open(LOG);
  await log.published(4);
  const [told] = await log.records(3, 1);
  expect(JSON.parse(told!.toString())).toMatchObject({
    action: 'audit.recovered',
    source: 'audit',
    data: { file: `segments/${file}`, offset: whole, bytes: 20 },
  });
  await again.close();
  expect(readdirSync(segments)).toContain(`${file}.torn-${whole}`);
  expect(await place.verify()).toMatchObject({ verdict: 'good', size: 4, gaps: [] });
});

test('a damaged log is named as degraded, with what to do, until it opens again; it stays readable', async () => {
  const place = new BookPlace();
  const { file, whole } = await place.damaged();
  const again = place.open(100);
  await expect(again.open(LOG)).rejects.toThrow('a bad line before a good one');
  expect([...place.degraded]).toEqual([
    [LOG, expect.stringMatching(/refuses to be written \(damage\).*put the newest copy back/)],
  ]);
  expect(await (await again.openToRead(LOG)).records(0, 10)).toHaveLength(3);
  writeFileSync(file, whole);
  await again.open(LOG);
  expect(place.degraded.size).toBe(0);
  await again.close();
});
