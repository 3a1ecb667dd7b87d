/** Reads: bearer token checked, access rule evaluated, rows from the overlay and LMDB. */
import type { BenchCase } from './harness.ts';
import { listUrl, rowUrl } from './kit/dev-file.ts';
import type { DevFile } from './kit/dev-file.ts';
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
