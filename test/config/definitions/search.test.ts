/** What an entity says of its text index, and what is wrong with it, with line and column. Source: docs/contract/data-definitions.md §1.11. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { loadProduct } from '#config/definitions/load-product.ts';
import { limits } from '#config/limits.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'skep-search-'));
  mkdirSync(join(dir, 'entities'));
  writeFileSync(join(dir, 'product.yaml'), 'name: atlas\n');
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

function loaded(search: string): ReturnType<typeof loadProduct> {
  const fields = 'fields: { title: { type: string }, body: { type: text }, pages: { type: integer } }';
  const text = `entities:\n  book:\n    ${fields}\n    search: ${search}\n`;
  writeFileSync(join(dir, 'entities', 'book.yaml'), text);
  return loadProduct(dir);
}

function searchOf(search: string): unknown {
  const found = loaded(search);
  if ('problems' in found) throw new Error(JSON.stringify(found.problems));
  return found.product.entities['book']!.search;
}

function problems(search: string): string[] {
  const found = loaded(search);
  if (!('problems' in found)) return [];
  return found.problems.map(({ line, column, message, mend }) => {
    expect(mend).toMatch(/\S/);
    return `${line}:${column} ${message}`;
  });
}

test('fields, a language and stop words; without a language words keep their endings', () => {
  expect(searchOf('{ fields: [title, body], language: english, stop_words: [the] }')).toEqual({
    fields: ['title', 'body'],
    language: 'english',
    stopWords: ['the'],
  });
  expect(searchOf('{ fields: [title] }')).toEqual({ fields: ['title'], language: 'none', stopWords: [] });
});

test('unknown fields, fields without words and fields that are listed twice are named', () => {
  expect(problems('{ fields: [titel, pages, title, title] }')).toEqual([
    '4:24 there is no field "titel"',
    '4:31 a field of type integer has no words',
    '4:45 "title" is listed twice',
  ]);
});

test('a language that has no stems, no field and too many of anything are refused', () => {
  expect(problems('{ fields: [title], language: klingon }')).toEqual([expect.stringContaining('none, arabic')]);
  expect(problems('{ fields: [] }')).toHaveLength(1);
  const { fieldsMax, stopWordsMax, wordCharsMax } = limits.search;
  const names = Array.from({ length: fieldsMax + 1 }, () => 'title').join(', ');
  expect(problems(`{ fields: [${names}] }`)).toEqual([expect.stringContaining(`1 to ${fieldsMax} fields`)]);
  const words = Array.from({ length: stopWordsMax + 1 }, (_, no) => `w${no}`).join(', ');
  expect(problems(`{ fields: [title], stop_words: [${words}] }`)).toHaveLength(1);
  expect(problems(`{ fields: [title], stop_words: [${'x'.repeat(wordCharsMax + 1)}] }`)).toHaveLength(1);
});
