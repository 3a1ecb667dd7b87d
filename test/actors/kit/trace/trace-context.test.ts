/** Cases of the W3C trace-context test suite (github.com/w3c/trace-context, test/test.py), as facts about the two headers. */
import { describe, expect, test } from 'vitest';
import { parseTraceparent, parseTracestate, writeTraceparent } from '#actors/kit/trace/trace-context.ts';
import { fc } from '#test/kit/property.ts';

const TRACE = '12345678901234567890123456789012';
const SPAN = '1234567890123456';
const parent = (text: string) => parseTraceparent(text)?.traceId ?? null;

describe('traceparent', () => {
  test.each([
    ['version 0', `00-${TRACE}-${SPAN}-01`],
    ['the random flag of Level 2', `00-${TRACE}-${SPAN}-02`],
    ['a later version', `cc-${TRACE}-${SPAN}-01`],
    ['a later version with more', `cc-${TRACE}-${SPAN}-01-what-the-future-will-be-like`],
    ['white space before', ` 00-${TRACE}-${SPAN}-01`],
    ['a tab before', `\t00-${TRACE}-${SPAN}-01`],
    ['white space behind', `00-${TRACE}-${SPAN}-01 `],
    ['a tab behind', `00-${TRACE}-${SPAN}-01\t`],
    ['both', `\t 00-${TRACE}-${SPAN}-01 \t`],
  ])('continues: %s', (_name, text) => {
    expect(parseTraceparent(text)).toMatchObject({ traceId: TRACE, parentId: SPAN });
  });

  test.each([
    ['nothing', ''],
    ['two headers', `00-${TRACE}-${SPAN}-01, 00-${TRACE}-${SPAN}-01`],
    ['version 0 with a dot behind', `00-${TRACE}-${SPAN}-01.`],
    ['version 0 with more', `00-${TRACE}-${SPAN}-01-what-the-future-will-be-like`],
    ['a later version without a dash', `cc-${TRACE}-${SPAN}-01.what-the-future-will-be-like`],
    ['version ff', `ff-${TRACE}-${SPAN}-01`],
    ['an illegal version', `.0-${TRACE}-${SPAN}-01`],
    ['another', `0.-${TRACE}-${SPAN}-01`],
    ['a version of three digits', `000-${TRACE}-${SPAN}-01`],
    ['of four', `0000-${TRACE}-${SPAN}-01`],
    ['of one', `0-${TRACE}-${SPAN}-01`],
    ['a trace of zeros', `00-${'0'.repeat(32)}-${SPAN}-01`],
    ['an illegal trace', `00-.2345678901234567890123456789012-${SPAN}-01`],
    ['another', `00-1234567890123456789012345678901.-${SPAN}-01`],
    ['a long trace', `00-${TRACE}3-${SPAN}-01`],
    ['a short trace', `00-1234567890123456789012345678901-${SPAN}-01`],
    ['a parent of zeros', `00-${TRACE}-0000000000000000-01`],
    ['an illegal parent', `00-${TRACE}-.234567890123456-01`],
    ['another', `00-${TRACE}-123456789012345.-01`],
    ['a long parent', `00-${TRACE}-${SPAN}7-01`],
    ['a short parent', `00-${TRACE}-123456789012345-01`],
    ['illegal flags', `00-${TRACE}-${SPAN}-.0`],
    ['others', `00-${TRACE}-${SPAN}-0.`],
    ['long flags', `00-${TRACE}-${SPAN}-001`],
    ['short flags', `00-${TRACE}-${SPAN}-1`],
    ['upper case', `00-${'A'.repeat(32)}-${SPAN}-01`],
    ['a later version without an end', `cc-${TRACE}-${SPAN}-01-${'x'.repeat(1000)}`],
  ])('does not continue: %s', (_name, text) => {
    expect(parent(text)).toBeNull();
  });

  test.each([
    ['00', false],
    ['01', true],
    ['02', false],
    ['03', true],
    ['ff', true],
  ])('flags %s: sampled %s', (flags, sampled) => {
    expect(parseTraceparent(`00-${TRACE}-${SPAN}-${flags}`)?.sampled).toBe(sampled);
  });

  const id = (digits: number) =>
    fc.stringMatching(new RegExp(`^[0-9a-f]{${digits}}$`)).filter((text) => /[^0]/.test(text));

  test('what is written is read back', () => {
    fc.assert(
      fc.property(id(32), id(16), (traceId, parentId) => {
        expect(parseTraceparent(writeTraceparent(traceId, parentId))).toEqual({ traceId, parentId, sampled: true });
      }),
    );
  });

  test('any text is read or refused, and one changed character of a header never gives an id that is not in it', () => {
    const header = writeTraceparent(TRACE, SPAN);
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 200 }),
        fc.nat(header.length - 1),
        fc.string({ maxLength: 3 }),
        (any, at, put) => {
          expect(parent(any) === null || any.includes(parent(any)!)).toBe(true);
          const changed = header.slice(0, at) + put + header.slice(at + 1);
          expect(parent(changed) === null || changed.includes(parent(changed)!)).toBe(true);
        },
      ),
    );
  });
});

describe('tracestate', () => {
  const letters = 'abcdefghijklmnopqrstuvwxyz0123456789_-*/';
  const values = Array.from({ length: 0x7f - 0x20 }, (_, i) => String.fromCharCode(0x20 + i))
    .filter((character) => character !== ',' && character !== '=')
    .join('');
  const members = (count: number) => Array.from({ length: count }, (_, i) => `bar${i}=${i}`).join(',');

  test.each([
    ['foo=1,bar=2', 'foo=1,bar=2'],
    ['foo=1 \t , \t bar=2, \t baz=3', 'foo=1,bar=2,baz=3'],
    ['foo=1\t \t,\t \tbar=2,\t \tbaz=3', 'foo=1,bar=2,baz=3'],
    [' foo=1', 'foo=1'],
    ['\t foo=1 \t', 'foo=1'],
    ['foo=1, ', 'foo=1'],
    [', foo=1', 'foo=1'],
    ['foo=1,foo=2', 'foo=1,foo=2'],
    ['foo@=1,bar=2', 'foo@=1,bar=2'],
    ['foo@bar@baz=1,bar=2', 'foo@bar@baz=1,bar=2'],
    [`${letters}=${values}`, `${letters}=${values}`],
    [`foo=1,${'z'.repeat(256)}=1`, `foo=1,${'z'.repeat(256)}=1`],
    [members(32), members(32)],
  ])('%s is passed on', (text, sent) => {
    expect(parseTracestate(text)).toBe(sent);
  });

  test.each([
    '',
    'foo =1',
    'FOO=1',
    'foo.bar=1',
    '@foo=1,bar=2',
    'foo=bar=baz',
    'foo=,bar=3',
    'foobar',
    `foo=1,${'z'.repeat(257)}=1`,
    `foo=${'x'.repeat(257)}`,
    members(33),
    'foo=1,\u00e9=2',
    'foo=a\nb',
  ])('%j is dropped whole', (text) => {
    expect(parseTracestate(text)).toBe('');
  });

  test('one that is too long loses its long members first, then its last ones', () => {
    const long = `long=${'x'.repeat(200)}`;
    const short = Array.from({ length: 28 }, (_, i) => `k${i}=${'y'.repeat(13)}`);
    const sent = parseTracestate([...short.slice(0, 3), long, ...short.slice(3)].join(','));
    expect(sent).not.toContain('long=');
    expect(sent.length).toBeLessThanOrEqual(512);
    expect(sent.split(',')).toEqual(short.slice(0, sent.split(',').length));
  });

  test('any text gives a line that is passed on as it is the next time', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 600 }), (text) => {
        const sent = parseTracestate(text);
        expect(parseTracestate(sent)).toBe(sent);
        expect(sent).toMatch(/^[\x20-\x7e]{0,512}$/);
      }),
    );
  });
});
