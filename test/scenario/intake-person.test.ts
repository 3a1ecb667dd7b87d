/**
 * One person's submissions exported and erased through the command line, on a real node with either backend, with a kill -9 in the middle.
 * Spec: docs/contract/intake.md §3.5.
 */
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { IntakeProcess, type ServedIntake } from '#test/kit/intake-process.ts';
import { logFiles } from '#test/kit/intake-log.ts';
import { call } from '#test/kit/test-node.ts';

const FORM = `id: contact
fields:
  name: { type: string, required: true }
  email: { type: email, required: true }
  cv: { type: file }
person: email
`;
const EVE = 'eve@example.org';
const FILES = 20;
const IN_A_FILE = 30;
const LIMIT = { timeout: 120_000 };

interface Line {
  readonly id: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

const linesOf = (text: string): Line[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line);

describe.each(['embedded', 'jsonl'])('backend %s', (backend) => {
  let dir: string;
  let it: IntakeProcess;
  let served: ServedIntake;
  const kept: string[] = [];
  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), 'skep-intake-person-'));
    it = new IntakeProcess(dir, FORM);
    appendFileSync(it.file, `storage: { backend: ${backend} }\n`);
    served = await it.serve();
  }, 60_000);
  afterAll(() => rmSync(dir, { recursive: true, force: true }));

  const person = (verb: string, ...args: readonly string[]) =>
    it.run('person', verb, ...args, '--alone', '-f', it.file);
  const erase = () => person('erase', EVE, '--confirm', EVE, '-o', 'json');

  async function send(email: string, name: string): Promise<string> {
    const { status, json } = await call(served.url, 'POST', '/f/contact', {}, { name, email });
    expect(status).toBe(200);
    return (json as { id: string }).id;
  }

  /** Submissions in so many files of the log, of Eve and of others. */
  async function fill(): Promise<number> {
    let ofEve = 0;
    for (let file = 0; file < FILES; file++) {
      const eve = Array.from({ length: IN_A_FILE }, (_, at) =>
        send(at % 2 === 0 ? EVE : 'EVE@example.ORG', `Eve ${at}`),
      );
      ofEve += (await Promise.all(eve)).length;
      kept.push(await send('ada@example.org', `Ada ${file}`));
      const before = logFiles(it.jsonl).length;
      served.signal('SIGHUP');
      await expect.poll(() => logFiles(it.jsonl).length, { interval: 5 }).toBeGreaterThan(before);
    }
    return ofEve;
  }

  const stored = async (): Promise<string[]> => {
    const { code, out, err } = await it.run('export', '-f', it.file);
    expect([code, err]).toEqual([0, '']);
    return linesOf(out).map(({ id }) => id);
  };

  const verified = async (): Promise<unknown> => {
    const { code, out, err } = await it.run('verify', '-f', it.file, '-o', 'json');
    expect([code, err]).toEqual([0, '']);
    return JSON.parse(out);
  };

  /** The bytes of every file of the log's directory. */
  const bytes = (): string =>
    readdirSync(it.jsonl)
      .map((name) => readFileSync(join(it.jsonl, name), 'utf8'))
      .join('')
      .toLowerCase();

  test('an export has the person’s submissions and no bytes of files', LIMIT, async () => {
    const body = new FormData();
    body.set('name', 'Eve');
    body.set('email', EVE);
    body.set('cv', new File(['%PDF-1.7 secret'], 'cv.pdf', { type: 'application/pdf' }));
    const sent = await fetch(`${served.url}/f/contact`, { method: 'POST', body });
    expect(sent.status).toBe(200);
    kept.push(await send('ada@example.org', 'Ada'));
    const { code, out } = await person('export', 'EVE@example.org');
    expect(code).toBe(0);
    expect(linesOf(out)).toMatchObject([
      { form: 'contact', fields: { name: 'Eve', email: EVE, cv: { name: 'cv.pdf', size: 15 } } },
    ]);
    expect(out).not.toContain('base64');
  });

  test(
    'an erasure wants the address twice, and says how many it erased; verify still finds no fault',
    LIMIT,
    async () => {
      const refused = await person('erase', EVE, '--confirm', 'ada@example.org');
      expect([refused.code, refused.err]).toEqual([2, expect.stringContaining(`--confirm ${EVE}`)]);
      const { code, out, err } = await erase();
      expect([code, err, JSON.parse(out || '{}')]).toEqual([0, '', { forms: { contact: 1 }, left: [] }]);
      expect(await stored()).toEqual(kept);
      expect(bytes()).not.toContain('eve');
      expect(await verified()).toMatchObject({ lines: kept.length, erased: 1, faultCount: 0 });
      expect((await person('export', EVE)).out).toBe('');
    },
  );

  test(
    'kill -9 in the middle: others are whole, a repeated erasure ends it, also beside submissions',
    LIMIT,
    async () => {
      const ofEve = await fill();
      const began = erase();
      await expect.poll(() => bytes().includes('"erasure":'), { interval: 1, timeout: 30_000 }).toBe(true);
      served.signal('SIGKILL');
      expect(await served.ended).toBe('SIGKILL');
      await began;
      served = await it.serve();
      expect((await stored()).filter((id) => kept.includes(id))).toEqual(kept);
      const erasing = erase();
      kept.push(await send('ada@example.org', 'Ada, meanwhile'));
      const { code, err } = await erasing;
      expect([code, err]).toEqual([0, '']);
      expect(await stored()).toEqual(kept);
      expect(bytes()).not.toContain('eve@');
      expect(await verified()).toMatchObject({ lines: kept.length, erased: 1 + ofEve, faultCount: 0 });
      expect(await served.stop()).toBe(0);
      served = await it.serve();
      expect(await stored()).toEqual(kept);
      expect(await served.stop()).toBe(0);
    },
  );

  test('without a node the command starts one; a line that another hand erased is a fault', LIMIT, async () => {
    expect(JSON.parse((await erase()).out)).toEqual({ forms: { contact: 0 }, left: [] });
    const name = join(it.jsonl, logFiles(it.jsonl).at(-2)!);
    const good = readFileSync(name, 'utf8');
    const forged = good.replace(
      /,"received_at".*?(?=,"prev":)/,
      (gone) => `,"erased":true${' '.repeat(gone.length - 14)}`,
    );
    expect(forged.length).toBe(good.length);
    writeFileSync(name, forged);
    const { code, err } = await it.run('verify', '-f', it.file);
    writeFileSync(name, good);
    expect([code, err]).toEqual([1, expect.stringContaining('no erasure in the log names it')]);
  });

  test.runIf(backend === 'embedded')('a rebuild brings none back, and what it kept is named', LIMIT, async () => {
    const rebuilt = await it.run('rebuild', '-f', it.file, '-o', 'json');
    const { lines, kept: old } = JSON.parse(rebuilt.out) as { lines: number; kept: string };
    expect([rebuilt.code, lines]).toEqual([0, kept.length]);
    expect(await stored()).toEqual(kept);
    const again = await erase();
    expect(JSON.parse(again.out)).toEqual({ forms: { contact: 0 }, left: [old] });
    expect(again.err).toContain(`${old} may hold submissions of the person`);
  });

  test('a form that declares no person, and one that names a field of another type', LIMIT, async () => {
    writeFileSync(join(it.forms, 'contact.yaml'), FORM.replace('person: email\n', ''));
    expect(await person('export', EVE)).toMatchObject({ code: 1, err: expect.stringContaining('person: <field>') });
    expect(await erase()).toMatchObject({ code: 1, err: expect.stringContaining('person: <field>') });
    writeFileSync(join(it.forms, 'contact.yaml'), FORM.replace('person: email', 'person: cv'));
    const { code, err } = await erase();
    expect([code, err]).toEqual([1, expect.stringContaining('"cv" is no field of type email or string')]);
  });
});
