/** What addresses of documents say, whatever a person has written there. */
import { expect, test } from 'vitest';
import { readDocumentSearch, readDocumentsSearch } from '#console/content/search.ts';

test('a language and a known state count, and nothing else does', () => {
  expect(readDocumentsSearch({ locale: 'de', status: 'draft', x: '1' })).toEqual({ locale: 'de', status: 'draft' });
  expect(readDocumentsSearch({ locale: '', status: 'gone' })).toEqual({});
  expect(readDocumentSearch({ locale: ['de', 'fr'], status: 'draft' })).toEqual({ locale: 'de' });
});
