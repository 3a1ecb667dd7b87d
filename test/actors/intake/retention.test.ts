import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { verify } from '#actors/intake/archive/store.ts';
import { openStore } from '#actors/intake/store.ts';
import { SimulatedClock } from '#test/kit/simulated-clock.ts';
import { openDirectory } from '#storage/log/directory.ts';
import { contact, good, rig, submissionsInDatabase, submissionsInLog, type Rig, type RigOptions } from './kit.ts';

const DAY = 24 * 3_600_000;
const letter = { ...contact, id: 'letter', retention: '48h' };
const note = { ...contact, id: 'note', retention: '24h' };

const start = (more: Partial<RigOptions> = {}): Promise<Rig> => rig({ forms: [contact, letter, note], ...more });

async function submit({ submit }: Rig, form: string): Promise<string> {
  const { status, body } = await submit({ form, body: good });
  expect(status).toBe(200);
  return body['id'] as string;
}

const ids = (all: readonly { readonly id: string }[]): string[] => all.map(({ id }) => id).sort();
const files = ({ disk }: Rig): number => [...disk.files.keys()].filter((name) => name.endsWith('.jsonl')).length;

test('past its retention a submission leaves the database, and its log file when every line of it has expired', async () => {
  const it = await start();
  const [one, two] = [await submit(it, 'letter'), await submit(it, 'note')];
  it.clock.advance(DAY + 1);
  const [three, four] = [await submit(it, 'letter'), await submit(it, 'note')];
  await it.intake.expire();
  expect(ids(submissionsInDatabase(it.database))).toEqual([one, three, four]);
  expect(ids(await submissionsInLog(it.disk))).toEqual([one, two, three, four]);
  it.clock.advance(DAY);
  await submit(it, 'letter');
  await it.intake.expire();
  expect(submissionsInDatabase(it.database)).toHaveLength(2);
  expect(await submissionsInLog(it.disk)).toHaveLength(3);
  expect(it.lines.at(-1)).toEqual({ rows: 2, files: 1 });
});

test('a form without retention keeps its own for ever, and every file that holds one, and those after it', async () => {
  const it = await start();
  const kept = await submit(it, 'contact');
  for (let day = 0; day < 4; day++) {
    await submit(it, 'note');
    it.clock.advance(DAY);
  }
  await it.intake.expire();
  expect(ids(submissionsInDatabase(it.database))).toEqual([kept]);
  expect(files(it)).toBe(4);
});

test('the file that is written to stays, and lines of the last seconds, whatever a form says', async () => {
  const it = await start({ forms: [{ ...note, retention: '1s' }], storage: { jsonlRotate: 'none' } });
  await submit(it, 'note');
  it.clock.advance(10_000);
  await it.intake.rotate();
  await submit(it, 'note');
  await it.intake.expire();
  expect([submissionsInDatabase(it.database).length, files(it)]).toEqual([1, 2]);
  it.clock.advance(DAY);
  await it.intake.expire();
  expect([submissionsInDatabase(it.database).length, files(it)]).toEqual([0, 1]);
});

test.each([undefined, '0s', '-24h'])('retention %s deletes nothing', async (retention) => {
  const it = await start({ forms: [{ ...contact, ...(retention === undefined ? {} : { retention }) }] });
  await submit(it, 'contact');
  it.clock.advance(1000 * DAY);
  await submit(it, 'contact');
  await it.intake.expire();
  expect([submissionsInDatabase(it.database).length, files(it)]).toEqual([2, 2]);
});

test('backend jsonl: files go, and a start after it goes on', async () => {
  const it = await start({ storage: { backend: 'jsonl' } });
  await submit(it, 'note');
  it.clock.advance(2 * DAY);
  const last = await submit(it, 'note');
  await it.intake.expire();
  expect(ids(await submissionsInLog(it.disk))).toEqual([last]);
  const again = await start({ storage: { backend: 'jsonl' }, disk: it.disk, clock: it.clock });
  expect((await submit(again, 'note')) > last).toBe(true);
});

test('a start after files were deleted replays nothing; more rows than one commit deletes go too', async () => {
  const it = await start({ storage: { queueDepth: 1024 } });
  await Promise.all(Array.from({ length: 600 }, () => submit(it, 'note')));
  it.clock.advance(2 * DAY);
  const last = await submit(it, 'note');
  await it.intake.expire();
  expect(ids(submissionsInDatabase(it.database))).toEqual([last]);
  const again = await start({ disk: it.disk, database: it.database, clock: it.clock });
  expect(again.intake.replayed).toBe(0);
  expect((await submit(again, 'note')) > last).toBe(true);
});

test('on real files: verify counts what expired in the database alone, and finds no fault', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'skep-retention-'));
  const storage = { embeddedPath: join(dir, 'db'), jsonlDir: join(dir, 'log') };
  const all = { ...storage, backend: 'embedded', walJsonl: true, jsonlRotate: 'daily' } as const;
  const clock = new SimulatedClock();
  const onFatal = (error: Error): never => {
    throw error;
  };
  try {
    const it = await start({
      clock,
      more: { store: () => openStore({ ...all, freeBytesMin: 0 }, clock, { onFatal }) },
    });
    for (const form of ['letter', 'note', 'note']) await submit(it, form);
    clock.advance(DAY + 1);
    await submit(it, 'note');
    await it.intake.expire();
    expect(await verify(all)).toMatchObject({ lines: 4, rows: 2, expired: 2, faultCount: 0 });
    clock.advance(DAY);
    await submit(it, 'note');
    await it.intake.expire();
    expect(await verify(all)).toMatchObject({ rows: 1, faultCount: 0 });
    expect((await openDirectory(all.jsonlDir).names()).filter((name) => name.endsWith('.jsonl'))).toHaveLength(1);
    await it.intake.close();
  } finally {
    rmSync(dir, { recursive: true });
  }
});
