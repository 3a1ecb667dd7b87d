/** What addresses of documents say, whatever a person has written there. */
import { expect, test } from 'vitest';
import { readDeliveriesSearch, readDocumentSearch, readDocumentsSearch } from '#console/content/search.ts';

test('a language and a known state count, and nothing else does', () => {
  expect(readDocumentsSearch({ locale: 'de', status: 'draft', x: '1' })).toEqual({ locale: 'de', status: 'draft' });
  expect(readDocumentsSearch({ locale: '', status: 'gone' })).toEqual({});
  expect(readDocumentSearch({ locale: ['de', 'fr'], status: 'draft' })).toEqual({ locale: 'de' });
});

test('a known outcome and the open delivery count', () => {
  expect(readDeliveriesSearch({ outcome: 'refused', delivery: '01M' })).toEqual({
    outcome: 'refused',
    delivery: '01M',
  });
  expect(readDeliveriesSearch({ outcome: 'gone', delivery: '' })).toEqual({});
});
