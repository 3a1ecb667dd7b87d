/** A request that proves a row of docs/contract/data.md §5, and the rows of the library that it reads. */
import { expect } from 'vitest';
import type { Answer, Headers } from '#test/kit/test-node.ts';

export interface Body {
  readonly data: Record<string, unknown>[];
  readonly count: number;
  readonly [key: string]: unknown;
}

export interface Case {
  /** `heading: row`. */
  readonly proves: string;
  readonly ask: string;
  readonly body?: unknown;
  readonly headers?: Headers;
  /** 200 unless it is said. */
  readonly status?: number;
  readonly code?: string;
  /** `id` of each row of the answer, in order. */
  readonly ids?: readonly unknown[];
  readonly see?: (body: Body, answer: Answer) => void;
}

export const AUTHORS = [
  { id: 'ada', name: 'Ada', email: 'ada@example.org', born: '1815-12-10' },
  { id: 'bob', name: 'Bob', born: '1901-01-01', mentor_id: 'ada' },
  { id: 'eve', name: 'Eve', mentor_id: 'bob' },
];
export const BOOKS = [
  { id: 1, title: 'Alpha', author_id: 'ada', genre: 'novel', pages: 300, price: '10.50', weight: 1.5, lent: true },
  {
    id: 2,
    title: 'beta',
    author_id: 'ada',
    genre: 'novel',
    pages: 100,
    price: '2',
    printed_at: '2020-01-01T00:00:00Z',
  },
  { id: 3, title: 'Gamma', author_id: 'bob', genre: 'essay', pages: 200, price: '2.00', lent: true },
  { id: 4, title: 'a,b', genre: 'poetry', pages: null, tags: { a: [1] } },
  { id: 5, title: 'Gone', author_id: 'ada', genre: 'poetry', pages: 50 },
  { id: '9007199254740993', title: 'Far', genre: 'poetry', pages: 400 },
];
export const FAR = '9007199254740993';

/** The body has these members. */
export const sees = (expected: object) => (body: Body) => expect(body).toMatchObject(expected);
