/** One person's submissions erased from the log, the database and the outbox, with a crash at every step of it. */
import { describe, expect, test } from 'vitest';
import type { FormDefinition } from '#config/definitions/form.ts';
import { entryOf, ErasedLines } from '#actors/intake/erasure/log-entry.ts';
import { isFrom, personIn, shownToPerson } from '#actors/intake/erasure/person.ts';
import type { Submission } from '#actors/intake/submission.ts';
import { openLine } from '#storage/log/chain.ts';
import { readLog } from '#storage/log/jsonl-log.ts';
import type { MemoryDisk } from '#test/storage/log/memory-disk.ts';
import { contact, good, rig, submissionsInDatabase, type Rig, type RigOptions } from './kit.ts';
import type { MemoryDatabase } from './memory-database.ts';

const form: FormDefinition = { ...contact, person: 'email' };
const silent: FormDefinition = { ...contact, id: 'silent' };
const EVE = 'eve@example.org';
const BACKENDS = [{ backend: 'embedded' }, { backend: 'jsonl' }, { backend: 'embedded', walJsonl: false }] as const;

const start = (more: Partial<RigOptions> = {}): Promise<Rig> => rig({ forms: [form, silent], ...more });

async function send({ submit }: Rig, email: string, more: object = {}, of = 'contact'): Promise<string> {
  const { status, body } = await submit({ form: of, body: { ...good, email, ...more } });
  expect(status).toBe(200);
  return body['id'] as string;
}

interface Read {
  readonly kept: readonly Submission[];
  readonly erased: ErasedLines;
}

/** The whole chain, as `verify` reads it. */
async function logOf(disk: MemoryDisk): Promise<Read> {
  const kept: Submission[] = [];
  const erased = new ErasedLines();
  await readLog({ disk, stem: 'submissions' }, (line) => {
    const entry = entryOf(line);
    if (entry.kind === 'submission') kept.push(entry.submission);
    else if (entry.kind === 'erased') erased.add(line.place.hash, entry);
    else erased.named(entry.lines);
  });
  return { kept, erased };
}

const texts = (disk: MemoryDisk): string => [...disk.files.keys()].map((name) => disk.text(name)).join('');
const ids = (all: readonly { readonly id: string }[]): string[] => all.map(({ id }) => id).sort();

/** Where this backend keeps submissions, each place by itself. */
async function stored(
  { backend, walJsonl = true }: (typeof BACKENDS)[number] & { walJsonl?: boolean },
  it: Pick<Rig, 'disk' | 'database'>,
) {
  const places: (readonly string[])[] = [];
  if (backend === 'embedded') places.push(ids(submissionsInDatabase(it.database)));
  if (backend === 'jsonl' || walJsonl) places.push(ids((await logOf(it.disk)).kept));
  return places;
}

const all = (places: readonly unknown[], wanted: readonly string[]): void => {
  for (const place of places) expect(place).toEqual([...wanted].sort());
  expect(places.length).toBeGreaterThan(0);
};

describe('whose submission it is', () => {
  const sent = { form: 'contact', fields: { name: 'Eve', email: ' Eve@Example.ORG' } };

  test('the declared field decides, in lower case; a form that declares none has none of a person', () => {
    const person = personIn([form, silent], EVE.toUpperCase());
    expect(isFrom(person, sent)).toBe(true);
    expect(isFrom(person, { ...sent, form: 'silent' })).toBe(false);
    expect(isFrom(person, { ...sent, fields: { ...sent.fields, email: 'steve@example.org' } })).toBe(false);
    expect(isFrom(person, { form: 'contact', fields: { name: EVE } })).toBe(false);
  });

  test('an export names files and leaves their bytes out', () => {
    const file = { name: 'cv.pdf', content_type: 'application/pdf', size: 3, sha256: 'ab', base64: 'QUJD' };
    const one = { id: '1', form: 'contact', received_at: 'T', idempotency_key: 'k', fields: { age: 3, cv: file } };
    const shown = { age: 3, cv: { name: 'cv.pdf', content_type: 'application/pdf', size: 3 } };
    expect(shownToPerson(one)).toEqual({ form: 'contact', id: '1', received_at: 'T', fields: shown });
  });
});

describe.each(BACKENDS)('an erasure with %j', (storage) => {
  const backend = (more: Partial<RigOptions> = {}): Promise<Rig> => start({ storage, ...more });

  test('takes the person’s submissions, and no other', async () => {
    const it = await backend();
    const kept = [await send(it, 'ada@example.org')];
    await send(it, 'EVE@example.org', { name: 'Eve one' });
    kept.push(await send(it, EVE, {}, 'silent'));
    await send(it, EVE, { name: 'Eve two' });
    kept.push(await send(it, 'bob@example.org'));
    expect(await it.intake.erasePerson(EVE)).toEqual({ forms: { contact: 2 }, left: [] });
    all(await stored(storage, it), kept);
    expect(texts(it.disk)).not.toContain('Eve one');
    const { erased } = await logOf(it.disk);
    expect([erased.ids.size, erased.unnamed]).toEqual([texts(it.disk) === '' ? 0 : 2, []]);
    expect(await it.intake.erasePerson(EVE)).toEqual({ forms: { contact: 0 }, left: [] });
    expect(it.fatal).toEqual([]);
  });

  test('what comes later stays, also after a start, and ids still rise', async () => {
    const it = await backend();
    const first = await send(it, EVE);
    await it.intake.erasePerson(EVE);
    await it.intake.close();
    const again = await backend({ disk: it.disk, database: it.database, clock: it.clock });
    const second = await send(again, EVE);
    expect(second > first).toBe(true);
    await again.intake.close();
    const last = await backend({ disk: it.disk, database: it.database, clock: it.clock });
    all(await stored(storage, last), [second]);
  });

  test('submissions that come while it runs are stored once, and what is acknowledged is there', async () => {
    const it = await backend();
    for (let at = 0; at < 200; at++) await send(it, EVE);
    const over = new AbortController();
    const kept: string[] = [];
    const load = async (): Promise<void> => {
      while (!over.signal.aborted) kept.push(await send(it, 'ada@example.org'));
    };
    const loads = [load(), load(), load()];
    expect((await it.intake.erasePerson(EVE)).forms).toEqual({ contact: 200 });
    over.abort();
    await Promise.all(loads);
    all(await stored(storage, it), kept);
    expect(kept.length).toBeGreaterThan(3);
  });

  test('the idempotency key of an erased submission is free', async () => {
    const it = await backend();
    const headers = { 'idempotency-key': 'once' };
    const first = await it.submit({ body: { ...good, email: EVE }, headers });
    await it.intake.erasePerson(EVE);
    const second = await it.submit({ body: { ...good, email: EVE, name: 'Another' }, headers });
    expect([second.status, second.body['id'] === first.body['id']]).toEqual([200, false]);
  });

  test('its notices do not leave any more', async () => {
    const notify = { queueDepth: 9, email: true, webhook: '' };
    const forms = [{ ...form, notify: { email: { to: ['team@example.org'] } } }];
    const it = await backend({ forms, notify });
    await send(it, EVE);
    const kept = await send(it, 'ada@example.org');
    await it.intake.erasePerson(EVE);
    const taken = it.intake.takeNotices({ except: [], limit: 9 });
    expect(taken.parcels.map(({ id }) => id)).toEqual([kept]);
    expect(it.intake.counters().notify).toMatchObject({ enqueued: 2, dropped: 1 });
    await it.intake.close();
    const again = await backend({ forms, notify, disk: it.disk, database: it.database, clock: it.clock });
    expect(again.intake.takeNotices({ except: [], limit: 9 }).parcels.map(({ id }) => id)).toEqual([kept]);
  });

  test('a crash at any step loses nothing of others, and a repeated erasure ends it', async () => {
    const it = await backend();
    const kept: string[] = [];
    for (let day = 0; day < 3; day++) {
      for (let at = 0; at < 70; at++) await send(it, EVE, { name: `Eve ${at}` });
      kept.push(await send(it, 'ada@example.org'));
      it.clock.advance(24 * 3_600_000);
    }
    const moments: { disk: MemoryDisk; database: MemoryDatabase }[] = [];
    const moment = (): void => void moments.push({ disk: it.disk.crash(() => 0), database: it.database.crash() });
    it.disk.before = async () => moment();
    it.database.after = moment;
    await it.intake.erasePerson(EVE);
    expect(moments.length).toBeGreaterThan(3);
    for (const { disk, database } of moments) {
      const after = await backend({ disk, database, clock: it.clock });
      const left = (await stored(storage, after)).map((place) => place.filter((id) => kept.includes(id)));
      all(left, kept);
      await after.intake.erasePerson(EVE);
      all(await stored(storage, after), kept);
      expect((await logOf(disk)).erased.unnamed).toEqual([]);
      await after.intake.close();
      const next = await backend({ disk, database, clock: it.clock });
      all(await stored(storage, next), kept);
    }
  });
});

describe('the log of an erasure', () => {
  test('has the old length in every line, and a line that is erased by another hand has no name', async () => {
    const it = await start();
    await send(it, EVE);
    await send(it, 'ada@example.org');
    const [name] = [...it.disk.files.keys()] as [string];
    const before = it.disk.text(name);
    await it.intake.erasePerson(EVE);
    const lines = it.disk.text(name).split('\n');
    expect(lines.map((line) => line.length)).toEqual(before.split('\n').map((line) => line.length));
    expect(lines[1]).toBe(before.split('\n')[1]);
    expect(openLine(Buffer.from(lines[0]!))).toMatchObject({ erased: true });
    const forged = lines[1]!.replace(
      /,"received_at".*(?=,"prev":)/,
      (gone) => `,"erased":true${' '.repeat(gone.length - 14)}`,
    );
    await it.disk.save(name, Buffer.from([lines[0], forged, ''].join('\n')));
    const { erased } = await logOf(it.disk);
    expect([erased.ids.size, erased.unnamed.length]).toEqual([2, 1]);
  });

  test('a torn write with the address goes, another stays, and so does the rest of a rewriting that a crash cut', async () => {
    const it = await start();
    await send(it, EVE);
    await it.disk.save('submissions-2026-01-01.001.jsonl.torn-7', Buffer.from(`{"email":"${EVE.toUpperCase()}`));
    await it.disk.save('submissions-2026-01-01.001.jsonl.torn-9', Buffer.from('{"email":"ada@example.org'));
    await it.disk.save('submissions-2026-01-01.001.jsonl.tmp', Buffer.from('half'));
    await it.intake.erasePerson(EVE);
    const others = [...it.disk.files.keys()].filter((name) => !name.endsWith('.jsonl'));
    expect(others).toEqual(['submissions-2026-01-01.001.jsonl.torn-9']);
  });

  test('without room nothing is erased, submissions go on when there is room, and it can be repeated', async () => {
    const it = await start();
    await send(it, EVE);
    it.disk.capacity = it.disk.used();
    await expect(it.intake.erasePerson(EVE)).rejects.toThrow('no room');
    it.disk.capacity = Infinity;
    expect(submissionsInDatabase(it.database)).toHaveLength(1);
    await send(it, 'ada@example.org');
    expect((await it.intake.erasePerson(EVE)).forms).toEqual({ contact: 1 });
    expect(it.fatal).toEqual([]);
  });

  test('files go at the end of their retention, erased lines and erasures with them', async () => {
    const it = await start({ forms: [{ ...form, retention: '24h' }] });
    await send(it, EVE);
    await it.intake.erasePerson(EVE);
    it.clock.advance(48 * 3_600_000);
    await send(it, 'ada@example.org');
    await it.intake.expire();
    const { kept, erased } = await logOf(it.disk);
    expect([kept.length, erased.ids.size]).toEqual([1, 0]);
    await it.intake.close();
    const again = await start({ disk: it.disk, database: it.database, clock: it.clock });
    expect(again.intake.replayed).toBe(0);
  });
});

test('a stop ends an erasure between two steps, and none begins after it', async () => {
  const it = await start();
  await send(it, EVE);
  const erased = it.intake.erasePerson(EVE);
  const closed = it.intake.close();
  await expect(erased).rejects.toThrow('the node stops');
  await closed;
  expect(it.fatal).toEqual([]);
});

test('where no form declares a person, the operator learns how to declare one', async () => {
  const it = await start({ forms: [silent] });
  await expect(it.intake.erasePerson(EVE)).rejects.toThrow('person: <field>');
});
