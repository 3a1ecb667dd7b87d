/** Placeholders into requests: whatever a value is, it stays where it stands, and no template or jq program can be injected through it. */
import { fc } from '#test/kit/property.ts';
import { describe, expect, test } from 'vitest';
import type { BffCall, Reference, TextTemplate, ValueTemplate } from '#config/definitions/bff/shapes.ts';
import { filled, Unusable, render } from '#actors/bff/call/render.ts';
import type { Scope } from '#actors/bff/call/scope.ts';
import { limits } from '#config/limits.ts';

const query = (name: string): Reference => ({ source: 'query', steps: [name] });
const answer = (...steps: string[]): Reference => ({ source: 'calls', steps });

function callOf(wish: Partial<Pick<BffCall, 'path' | 'query' | 'headers' | 'body'>>): BffCall {
  return {
    name: 'one',
    to: { kind: 'outside', origin: 'https://api.example.org' },
    method: 'POST',
    writes: false,
    path: ['/x'],
    query: [],
    headers: [],
    body: null,
    needs: [],
    stage: 0,
    onError: 'fatal',
    default: null,
    timeoutMs: 1000,
    retries: 0,
    cacheMs: 0,
    ...wish,
  };
}

const scopeOf = (values: Record<string, string>, calls: Record<string, unknown> = {}, body: unknown = null): Scope => ({
  path: {},
  query: Object.assign(Object.create(null) as object, values),
  header: {},
  body,
  principal: { type: 'anonymous' },
  calls,
});

const text = fc.string({ unit: 'binary', maxLength: 30 });
/** Whether a piece between slashes, of either kind, is `.` or `..`. */
const leadsOut = (value: string): boolean => value.split(/[/\\]/).some((piece) => piece === '.' || piece === '..');

const hostile = fc.oneof(
  text,
  fc.constantFrom(
    '..',
    '.',
    '',
    '/',
    '%2e%2e',
    '..%2f',
    '../x',
    'x/..',
    'x\\..\\y',
    'AC/DC',
    'a/../b',
    '\\..\\',
    '?a=b',
    '#',
    '&x=1',
    '\r\nX: y',
    '{{body}}',
  ),
);

describe('whatever a value is', () => {
  test('it is one segment of the path, or the call is not made', () => {
    const path: TextTemplate = ['/a/', query('v'), '/b'];
    fc.assert(
      fc.property(hostile, (value) => {
        let rendered: string;
        try {
          rendered = render(callOf({ path }), scopeOf({ v: value })).path;
        } catch (error) {
          expect(error).toBeInstanceOf(Unusable);
          expect(value === '' || !value.isWellFormed() || leadsOut(value), value).toBe(true);
          return;
        }
        const url = new URL(rendered, 'https://api.example.org');
        expect(url.origin + url.pathname + url.search + url.hash).toBe(`https://api.example.org${rendered}`);
        const parts = rendered.split('/');
        expect(parts).toHaveLength(4);
        expect(decodeURIComponent(parts[2]!)).toBe(value);
        // Nor does it lead out where a server decodes before it splits.
        expect(leadsOut(value), value).toBe(false);
      }),
    );
  });

  test('it is one parameter of the query', () => {
    fc.assert(
      fc.property(hostile, hostile, (a, b) => {
        const { query: sent } = render(
          callOf({
            query: [
              ['a', [query('a')]],
              ['b', ['<', query('b'), '>']],
            ],
          }),
          scopeOf({ a, b }),
        );
        expect([...new URLSearchParams(sent)]).toEqual([
          ['a', a.toWellFormed()],
          ['b', `<${b.toWellFormed()}>`],
        ]);
      }),
    );
  });

  test('it is one line of a header, or the call is not made', () => {
    fc.assert(
      fc.property(hostile, (value) => {
        try {
          const { headers } = render(callOf({ headers: [['x-a', [query('v')]]] }), scopeOf({ v: value }));
          expect(headers['x-a']).toBe(value);
          expect(value).toMatch(/^[\t\x20-\x7e]*$/);
        } catch (error) {
          expect(error).toBeInstanceOf(Unusable);
          expect(value).not.toMatch(/^[\t\x20-\x7e]*$/);
        }
      }),
    );
  });

  test('it is one value of the body', () => {
    fc.assert(
      fc.property(fc.jsonValue(), hostile, (body, value) => {
        const template = {
          kind: 'map',
          entries: [
            ['whole', { kind: 'value', reference: { source: 'body', steps: [] } }],
            ['text', { kind: 'text', text: ['<', query('v'), '>'] }],
          ],
        } as const;
        const sent = render(callOf({ body: template }), scopeOf({ v: value }, {}, body)).body!;
        expect(JSON.parse(sent)).toEqual({ whole: JSON.parse(JSON.stringify(body)), text: `<${value}>` });
      }),
    );
  });
});

describe('what is missing', () => {
  test('a parameter of the caller is left out; one of another call’s answer makes the call impossible', () => {
    const named = (reference: Reference) => callOf({ query: [['q', [reference]]] });
    expect(render(named(query('gone')), scopeOf({})).query).toBe('');
    expect(() => render(named(answer('a', 'id')), scopeOf({}, { a: {} }))).toThrow(Unusable);
    expect(() => render(named(answer('a', 'id')), scopeOf({}, { a: null }))).toThrow(Unusable);
    expect(() => render(named(answer('a', 'constructor')), scopeOf({}, { a: {} }))).toThrow(Unusable);
    expect(render(named(answer('a', 'id')), scopeOf({}, { a: { id: [1, 'x&y'] } })).query).toBe('q=1&q=x%26y');
    expect(() => render(named(answer('a')), scopeOf({}, { a: { id: 1 } }))).toThrow(Unusable);
  });

  test('path and query have a bound', () => {
    expect(() => render(callOf({ query: [['q', [query('v')]]] }), scopeOf({ v: 'x'.repeat(10_000) }))).toThrow(
      Unusable,
    );
  });
});

describe('what a template makes', () => {
  const body: Reference = { source: 'body', steps: [] };
  const value = { kind: 'value', reference: body } as const;
  const times = (count: number): ValueTemplate => ({ kind: 'list', items: Array.from({ length: count }, () => value) });
  const most = limits.bff.filledCharsMax;

  test.each<[string, ValueTemplate, unknown]>([
    ['a text in many places', times(17), 'x'.repeat(most / 16)],
    ['a list in many places', times(40), Array(Math.ceil(most / 40)).fill(1)],
    ['a text many times in one', { kind: 'text', text: Array.from({ length: 17 }, () => body) }, 'x'.repeat(most / 16)],
    [
      'maps in maps',
      {
        kind: 'map',
        entries: [
          ['a', times(9)],
          ['b', { kind: 'map', entries: [['c', times(9)]] }],
        ],
      },
      'x'.repeat(most / 16),
    ],
  ])('has a bound: %s', (_name, template, given) => {
    expect(() => filled(template, scopeOf({}, {}, given))).toThrow(Unusable);
  });

  test('may be as large as that', () => {
    expect(filled(times(16), scopeOf({}, {}, 'x'.repeat(most / 16 - 2)))).toHaveLength(most + 17);
  });

  test('is what its values are: what is missing is left out of a map and null in a list', () => {
    const gone = { kind: 'value', reference: query('gone') } as const;
    const template: ValueTemplate = {
      kind: 'map',
      entries: [
        ['gone', gone],
        ['none', { kind: 'text', text: [query('gone')] }],
        ['list', { kind: 'list', items: [gone, value, { kind: 'constant', value: { a: [null, 1] } }] }],
        ['text', { kind: 'text', text: ['<', query('gone'), query('v'), '>'] }],
        ['"', { kind: 'constant', value: '"' }],
      ],
    };
    expect(JSON.parse(filled(template, scopeOf({ v: '"' }, {}, [{ b: 'c' }])))).toEqual({
      none: null,
      list: [null, [{ b: 'c' }], { a: [null, 1] }],
      text: '<">',
      '"': '"',
    });
    expect(filled(gone, scopeOf({}))).toBe('null');
  });

  test('a text of several pieces is the text of them all, and one value in many places is the same in each', () => {
    const pieces = fc.array(
      fc.oneof(fc.constantFrom('\ud83d', '\ude00', '"', '\\', '\n'), fc.string({ unit: 'binary', maxLength: 2000 })),
      {
        minLength: 2,
        maxLength: 6,
      },
    );
    fc.assert(
      fc.property(pieces, fc.string({ unit: 'binary', maxLength: 3000 }), (texts, long) => {
        const text: TextTemplate = texts.flatMap((one) => [one, body]);
        const template: ValueTemplate = {
          kind: 'list',
          items: [{ kind: 'text', text }, value, value, { kind: 'text', text }],
        };
        const whole = texts.map((one) => one + long).join('');
        expect(JSON.parse(filled(template, scopeOf({}, {}, long)))).toEqual([whole, long, long, whole]);
      }),
    );
  });

  test('a long list as a parameter ends where the query has no more room', () => {
    const call = callOf({ query: [['q', [body]]] });
    expect(() => render(call, scopeOf({}, {}, Array(100_000).fill('')))).toThrow(/too long for a path or a query/);
    expect(() => render(callOf({ path: ['/', body] }), scopeOf({}, {}, 'x'.repeat(1e6)))).toThrow(/too long/);
  });
});
