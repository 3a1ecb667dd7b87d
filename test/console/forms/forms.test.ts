/** What pages of forms know without a page: which forms there are and how they do, ids as cursors, fields, the line for a shell, pages of an export, and what an address says. */
import { describe, expect, test } from 'vitest';
import { curlOf } from '#console/forms/curl.ts';
import { fieldsOf, gistOf, idField } from '#console/forms/known-fields.ts';
import { knownForms } from '#console/forms/known-forms.ts';
import { readExport } from '#console/forms/read-export.ts';
import { readFormSearch } from '#console/forms/search.ts';
import type { Submission, Trigger } from '#console/forms/shapes.ts';
import { idBehind, isUlid } from '#console/forms/ulid.ts';
import { fc } from '#test/kit/property.ts';

const DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

const trigger = (form: string | null, delivered = 0): Trigger => ({
  name: `of ${form}`,
  role: 'desk',
  form,
  row: { entity: 'ticket', fields: { subject: 'title', mail: 'email', at: '$received_at', reference: '$id' } },
  delivered,
});
const submission = (form: string, outcome: Submission['outcome'] = 'kept', minute = 0): Submission => ({
  id: '01J00000000000000000000000',
  form,
  received_at: `2026-11-28T09:0${minute}:00.000Z`,
  fields: { title: 'Hello', stars: 5, agreed: true },
  outcome,
  attempts: 0,
  error: null,
  ended_at: null,
});

describe('forms that a tenant can know', () => {
  test('are those of triggers and of submissions, by name; other triggers are about none', () => {
    const known = knownForms([trigger('contact'), trigger(null)], [submission('ask', 'kept', 2), submission('ask')]);
    expect(known.map(({ id, state, newest, trigger: of }) => [id, state, newest, of?.name])).toEqual([
      ['ask', 'kept', '2026-11-28T09:02:00.000Z', undefined],
      ['contact', 'empty', null, 'of contact'],
    ]);
  });

  test.each([
    ['failed', [submission('a', 'delivered'), submission('a', 'waiting'), submission('a', 'failed')], 'faults'],
    ['dropped', [submission('a', 'dropped')], 'faults'],
    ['waiting', [submission('a', 'delivered'), submission('a', 'waiting')], 'waiting'],
    ['delivered', [submission('a', 'delivered')], 'well'],
    ['a failure of another form', [submission('a', 'delivered'), submission('b', 'failed')], 'well'],
  ] as const)('%s', (_what, newest, state) => {
    expect(knownForms([trigger('a')], newest).find(({ id }) => id === 'a')!.state).toBe(state);
  });

  test('one whose submissions are older than those that were looked at is not empty', () => {
    expect(knownForms([trigger('a', 3)], [])[0]!.state).toBe('well');
  });
});

describe('the id right behind one', () => {
  test.each([
    ['01J00000000000000000000000', '01J00000000000000000000001'],
    ['01J0000000000000000000000H', '01J0000000000000000000000J'],
    ['01J000000000000000000000AZ', '01J000000000000000000000B0'],
    ['0ZZZZZZZZZZZZZZZZZZZZZZZZZ', '10000000000000000000000000'],
    ['7ZZZZZZZZZZZZZZZZZZZZZZZZZ', null],
  ])('%s: %s', (id, behind) => {
    expect(idBehind(id)).toBe(behind);
  });

  test('is an id, and no other is between', () => {
    const digit = fc.constantFrom(...DIGITS.split(''));
    const ids = fc.array(digit, { minLength: 25, maxLength: 25 }).map((digits) => `0${digits.join('')}`);
    fc.assert(
      fc.property(ids, (id) => {
        const behind = idBehind(id)!;
        expect(isUlid(behind)).toBe(true);
        expect(numberOf(behind)).toBe(numberOf(id) + 1n);
      }),
    );
  });
});

const numberOf = (id: string): bigint =>
  id.split('').reduce((sum, digit) => sum * 32n + BigInt(DIGITS.indexOf(digit)), 0n);

test.each(['', 'no-id', '01j00000000000000000000000', '81J00000000000000000000000', '01J0000000000000000000000U'])(
  '%j is no id',
  (text) => {
    expect(isUlid(text)).toBe(false);
  },
);

test('fields are those that the trigger reads, then those of a submission; one of the row may say of which it is', () => {
  expect(fieldsOf(trigger('a'), submission('a'))).toEqual(['title', 'email', 'stars', 'agreed']);
  expect(fieldsOf(undefined, undefined)).toEqual([]);
  expect(idField(trigger('a').row!)).toBe('reference');
  expect(idField({ fields: { a: 'b' } })).toBeUndefined();
  expect(gistOf(submission('a'))).toBe('Hello · 5 · true');
});

test('the line for a shell', () => {
  const at = { protocol: 'http:', hostname: '127.0.0.1' };
  expect(curlOf(at, 'contact', ['subject', 'e_mail'])).toBe(
    "curl http://127.0.0.1:8080/f/contact \\\n  --data-urlencode 'subject=Hello' \\\n  --data-urlencode 'e_mail=ada@example.org'",
  );
  expect(curlOf({ protocol: 'https:', hostname: 'desk.example.org' }, 'ask', [])).toBe(
    "curl https://desk.example.org/f/ask \\\n  --data-urlencode 'message=Hello'",
  );
});

describe('a page of an export', () => {
  const end = (next: string | null): string => `${JSON.stringify({ end: { count: 2, next } })}\n`;

  test('loses the line that says that it is whole', () => {
    const lines = '{"id":"a"}\n{"id":"b","fields":{"text":"{\\"end\\":"}}\n';
    expect(readExport(`${lines}${end('b')}`)).toEqual({ text: lines, count: 2, next: 'b' });
    expect(readExport(end(null))).toEqual({ text: '', count: 2, next: null });
  });

  test.each(['', '{"id":"a"}\n', '{"id":"a"}\n{"end":{"count":1,', `{"id":"a"}\n${end(null).trim()}`])(
    'that broke off is none: %j',
    (text) => {
      expect(() => readExport(text)).toThrow('broke off');
    },
  );
});

test.each([
  [{}, {}],
  [
    { outcome: 'failed', submission: 'x' },
    { outcome: 'failed', submission: 'x' },
  ],
  [{ outcome: 'odd', submission: '' }, {}],
  [
    { outcome: ['kept', 'failed'], submission: ['a', 'b'], more: '1' },
    { outcome: 'kept', submission: 'a' },
  ],
])('an address with %j says %j', (search, read) => {
  expect(readFormSearch(search)).toEqual(read);
});
