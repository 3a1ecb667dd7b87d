/** Reads: bearer token checked, access rule evaluated, rows from the overlay and LMDB. */
import type { BenchCase } from './harness.ts';
import { listUrl, rowUrl, type DevFile } from './kit/dev-file.ts';
import { httpSeconds, measureHttp } from './kit/http-load.ts';
import type { LoadRequest } from './kit/load-script.ts';

const CONNECTIONS = 64;
const SECONDS = 10;
const LIST_ROWS = 20;

const get = (dev: DevFile, token: string): LoadRequest => ({
  method: 'GET',
  headers: { ...dev.headers, Authorization: `Bearer ${token}` },
  body: null,
});

/** Throws unless the envelope's `data` holds so many rows. */
const rows =
  (count: number) =>
  (body: string): void => {
    const { data } = JSON.parse(body) as { data: unknown[] };
    if (data.length !== count) throw new Error(`the answer has ${data.length} rows instead of ${count}`);
  };

/** Throws unless the answer is a list of so many. */
const items =
  (count: number) =>
  (body: string): void => {
    const list = JSON.parse(body) as unknown[];
    if (list.length !== count) throw new Error(`the answer has ${list.length} items instead of ${count}`);
  };

export const readById: BenchCase = {
  name: 'read-by-id',
  measures: 'one row by its key, bearer and access rule checked, 64 connections',
  target: '≥ 0.5 ×',
  http: true,
  seconds: (options) => httpSeconds({ seconds: SECONDS }, options),
  run: async (bench) => [
    await measureHttp(bench, {
      name: 'read-by-id',
      url: rowUrl,
      request: get,
      connections: CONNECTIONS,
      seconds: SECONDS,
      expect: 200,
      check: rows(1),
      target: { of: 'ratio', bound: 'min', than: 0.5 },
    }),
  ],
};

export const listTwenty: BenchCase = {
  name: 'list-20',
  measures: '20 rows by an index, ordered, 64 connections',
  target: '≥ 0.12 ×',
  http: true,
  seconds: (options) => httpSeconds({ seconds: SECONDS }, options),
  run: async (bench) => [
    await measureHttp(bench, {
      name: 'list-20',
      url: (dev) => listUrl(dev, LIST_ROWS),
      request: get,
      connections: CONNECTIONS,
      seconds: SECONDS,
      expect: 200,
      check: rows(LIST_ROWS),
      target: { of: 'ratio', bound: 'min', than: 0.12 },
    }),
  ],
};

/** A program of each tier over the envelope of a list: one that the host compiles, and one that a job runs by jq itself. */
const PROGRAMS = {
  'expression, fast tier': { program: '[.data[]|{id,name}]', connections: CONNECTIONS },
  'expression, reference tier': { program: '[.data[] | . as {name: $n} ?// $n | $n]', connections: 2 },
} as const;

export const expression: BenchCase = {
  name: 'expression',
  measures: `list-20 through an ?expression=: of the fast tier, ${CONNECTIONS} connections; of the reference tier, 2`,
  target: '',
  http: true,
  seconds: (options) => 2 * httpSeconds({ seconds: SECONDS }, options),
  run: async (bench) => {
    const figures = [];
    for (const [name, { program, connections }] of Object.entries(PROGRAMS))
      figures.push(
        await measureHttp(bench, {
          name,
          url: (dev) => `${listUrl(dev, LIST_ROWS)}&expression=${encodeURIComponent(program)}`,
          request: get,
          connections,
          seconds: SECONDS,
          expect: 200,
          check: items(LIST_ROWS),
        }),
      );
    return figures;
  },
};

/** The same list with what a caller may ask beside it, so that the price of each shows against list-20. */
const ASIDE: Readonly<Record<string, (url: string) => string>> = {
  'list-20 by cursor': (url) => `${url}&after=`,
  'list-20 with include': (url) => `${url}&include=country`,
  'list-20 of a range': (url) => `${url}&population[between]=1000,5000000`,
  'list-20 of alternatives': alternatives,
};

/** Rows of either of two countries, merged in the order of the list. */
function alternatives(url: string): string {
  const asked = new URL(url);
  asked.searchParams.delete('country_id');
  asked.searchParams.set('[or]', JSON.stringify([{ country_id: 'CH' }, { country_id: 'DE' }]));
  return asked.href;
}

export const listFeatures: BenchCase = {
  name: 'list-features',
  measures: 'list-20 with a cursor, with an include, over a range, of two alternatives, 64 connections',
  target: '',
  http: true,
  seconds: (options) => Object.keys(ASIDE).length * httpSeconds({ seconds: SECONDS }, options),
  run: async (bench) => {
    const figures = [];
    for (const [name, aside] of Object.entries(ASIDE))
      figures.push(
        await measureHttp(bench, {
          name,
          url: (dev) => aside(listUrl(dev, LIST_ROWS)),
          request: get,
          connections: CONNECTIONS,
          seconds: SECONDS,
          expect: 200,
          check: rows(LIST_ROWS),
        }),
      );
    return figures;
  },
};
