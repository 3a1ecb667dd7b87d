/** A query whose rows must also have words (docs/contract/data.md §5.12). */
import { failure, isFailure, type Failure } from '../rows/failure.ts';
import type { Query, TextQuery } from '../rows/query.ts';

/** 422 for a cursor without an order of fields, since a rank is no place, and for deleted rows, which no text index has. */
export function withWords(query: Query | Failure, text: TextQuery | Failure, hasCursors: boolean): Query | Failure {
  if (isFailure(query)) return query;
  if (isFailure(text)) return text;
  if (query.deleted) return failure(422, 'deleted rows are not searched by words', { parameter: 'deleted' });
  if (hasCursors && query.order.length === 0)
    return failure(422, 'a cursor needs an orderby: rows by rank are paged by limit and offset', {
      parameter: 'orderby',
    });
  return Object.freeze({ ...query, text });
}
