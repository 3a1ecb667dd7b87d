/** What a text finds among names. */
import { describe, expect, test } from 'vitest';
import { matching } from '#console/frame/match.ts';

const names = (text: string, ...all: string[]): string[] =>
  matching(
    all.map((name) => ({ name })),
    text,
  ).map(({ name }) => name);

describe('matching', () => {
  test('an empty text finds all, in their order', () => {
    expect(names('', 'b', 'a')).toEqual(['b', 'a']);
    expect(names(' … ', 'b', 'a')).toEqual(['b', 'a']);
  });

  test('each word has to be there; beginnings of words come before their middles', () => {
    const all = ['Slow requests', 'Requests', 'Log', 'Dialogue', 'acme / desk / dev / main'];
    expect(names('log', ...all)).toEqual(['Log', 'Dialogue']);
    expect(names('req slow', ...all)).toEqual(['Slow requests']);
    expect(names('acme/dev', ...all)).toEqual(['acme / desk / dev / main']);
    expect(names('slow log', ...all)).toEqual([]);
  });

  test('case, marks and ß make no difference', () => {
    expect(names('größe', 'Grosse')).toEqual(['Grosse']);
    expect(names('GROSSE', 'die Größe')).toEqual(['die Größe']);
    expect(names('entitat', 'Entität')).toEqual(['Entität']);
  });

  test('signs of patterns are signs', () => {
    expect(names('.*', 'a', '.* b')).toEqual(['a', '.* b']);
    expect(names('a.b', 'axb', 'a b', 'ab')).toEqual(['a b', 'axb', 'ab']);
  });
});
