/** Retention and archives: what they say, what is wrong with file, line and column, and the companions. Source: docs/contract/data-definitions.md §1.9. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { loadProduct } from '#config/definitions/load-product.ts';
import type { ProductDefinition } from '#config/definitions/product.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'skep-retention-'));
  write('product.yaml', 'name: atlas\n');
  write('archives.yaml', ARCHIVES);
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const ARCHIVES = `archives:
  - { name: near, type: native }
  - { name: far, type: s3, settings: { bucket: cold } }
`;

function write(path: string, text: string): void {
  mkdirSync(dirname(join(dir, path)), { recursive: true });
  writeFileSync(join(dir, path), text);
}

/** One entity, with this retention and these fields beside its own. */
function entity(retention: string, fields: readonly string[] = [], traits = '[timestamps]'): void {
  const lines = ['entities:', '  visit:', `    traits: ${traits}`, `    retention: ${retention}`, '    fields:'];
  const own = ['name: { type: string }', 'seen_at: { type: datetime }', ...fields];
  write('entities/visit.yaml', [...lines, ...own.map((field) => `      ${field}`), ''].join('\n'));
}

function product(): ProductDefinition {
  const loaded = loadProduct(dir);
  if ('problems' in loaded) throw new Error(JSON.stringify(loaded.problems));
  return loaded.product;
}

function problems(): string[] {
  const loaded = loadProduct(dir);
  if (!('problems' in loaded)) return [];
  return loaded.problems.map(({ file, line, column, message, mend }) => {
    expect([file.startsWith(dir), mend]).toEqual([true, expect.stringMatching(/\S/)]);
    return `${line}:${column} ${message.replaceAll(dir, '')}`;
  });
}

test('a retention with its durations, the age by created_at unless it says otherwise', () => {
  entity('{ active: 720h, archive: 8760h, archive_to: near }');
  const day = 24 * 3_600_000;
  expect(product().entities.visit!.retention).toEqual({
    activeMs: 30 * day,
    archiveMs: 365 * day,
    archiveTo: 'near',
    ageField: 'created_at',
    handoff: null,
  });
  expect(product().archives).toEqual([
    { name: 'near', type: 'native', suffix: '_archive', settings: {} },
    { name: 'far', type: 's3', suffix: '_archive', settings: { bucket: 'cold' } },
  ]);
});

test('a companion has the fields without what held them together, and no rule but those of reading', () => {
  entity('{ active: 1h, archive_to: near }', [
    'code: { type: string, required: true, unique: true, max_length: 9 }',
    'friend_id: { type: ref, ref: { entity: visit, on_delete: cascade } }',
    'mail: { type: string, compliance: pii, mask: redact }',
  ]);
  const companion = product().entities['visit_archive']!;
  expect(companion).toMatchObject({
    archiveOf: 'visit',
    traits: ['timestamps'],
    unique: [],
    index: [],
    access: {},
    fields: {
      id: { type: 'ulid' },
      code: { type: 'string', nullable: true },
      friend_id: { type: 'ulid', nullable: true },
      mail: { type: 'string', compliance: 'pii', mask: 'redact' },
      archived_at: { type: 'datetime' },
    },
  });
  expect(companion.fields['code']).not.toHaveProperty('required');
  expect(companion).not.toHaveProperty('retention');
});

test('no companion for an archive elsewhere', () => {
  entity('{ active: 1h, archive_to: far, handoff: true }');
  expect(Object.keys(product().entities)).toEqual(['visit']);
});

describe('faults are reported', () => {
  const mail = (rest: string) => [`mail: { type: string, compliance: pii, ${rest} }`];
  test.each<[string, string, readonly string[], string, string[]]>([
    [
      'no duration',
      '{ active: 30d }',
      [],
      '[timestamps]',
      ['4:26 active must be a duration above zero in Go notation, with its unit, not "30d"'],
    ],
    ['an unknown archive', '{ active: 1h, archive_to: nera }', [], '[timestamps]', ['4:42 there is no archive "nera"']],
    [
      'no age',
      '{ active: 1h }',
      [],
      '[]',
      ['4:5 rows have no age by "created_at", which is neither a date nor a datetime'],
    ],
    [
      'an age that is none',
      '{ active: 1h, age_field: name }',
      [],
      '[]',
      ['4:41 rows have no age by "name", which is neither a date nor a datetime'],
    ],
    [
      'a personal age',
      '{ active: 1h, age_field: born }',
      ['born: { type: date, compliance: phi }'],
      '[]',
      ['4:41 "born" is anonymized itself'],
    ],
    [
      'a native handoff',
      '{ active: 1h, archive_to: near, handoff: true }',
      [],
      '[timestamps]',
      ['4:57 a native archive takes rows without a handoff'],
    ],
    [
      'no handoff elsewhere',
      '{ active: 1h, archive_to: far, handoff: false }',
      [],
      '[timestamps]',
      ['4:56 an archive of type s3 takes rows by handoff only'],
    ],
    ['a handoff to nowhere', '{ active: 1h, handoff: true }', [], '[timestamps]', ['4:39 a handoff needs its archive']],
    [
      'a field that cannot be anonymized',
      '{ active: 1h }',
      mail('required: true, format: email'),
      '[timestamps]',
      ['8:41 mail cannot be anonymized: it takes no null and has no default'],
    ],
    [
      'a text that is too short',
      '{ active: 1h }',
      mail('required: true, max_length: 9'),
      '[timestamps]',
      ['8:41 mail cannot be anonymized: it takes no null and has no default'],
    ],
    [
      'a personal key',
      '{ active: 1h }',
      ['id: { type: string, compliance: pii }'],
      '[timestamps]',
      ['8:39 a key cannot be anonymized'],
    ],
    [
      'a field of the archive',
      '{ active: 1h, archive_to: near }',
      ['archived_at: { type: date }'],
      '[timestamps]',
      ['4:42 visit has a field "archived_at", which archived rows have too'],
    ],
  ])('%s', (_what, retention, fields, traits, told) => {
    entity(retention, fields, traits);
    expect(problems()).toEqual(told);
  });

  test('names that anonymity is possible for', () => {
    for (const rest of [
      'required: true',
      'required: true, nullable: true, format: email',
      'required: true, default: x',
    ])
      expect([rest, (entity('{ active: 1h }', mail(rest)), problems())]).toEqual([rest, []]);
  });

  test('a type that names the same store, which only native is', () => {
    entity('{ active: 1h, age_field: seen_at }');
    write('archives.yaml', 'archives:\n  - { name: near, type: table }\n');
    expect(problems()).toEqual([expect.stringMatching(/^2:\d+ "table" is not a type of archive here/)]);
  });

  test('two archives of one name, a bad suffix, a companion whose name is taken', () => {
    entity('{ active: 1h, archive_to: near }');
    write('archives.yaml', `${ARCHIVES}  - { name: near, type: native }\n`);
    expect(problems()).toEqual(['4:13 the archive "near" is declared twice']);
    write('archives.yaml', 'archives: [{ name: near, type: native, suffix: Archive }]\n');
    expect(problems()[0]).toContain('suffix must be what the names of companion entities end in');
    write('archives.yaml', ARCHIVES);
    write('entities/more.yaml', 'entities: { visit_archive: { fields: {} } }\n');
    expect(problems()).toEqual([expect.stringContaining('the archive of visit cannot be named visit_archive')]);
  });
});
