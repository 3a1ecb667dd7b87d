/** docs/contract/data.md §5, what concerns every answer, lists, single rows, downloads and search. */
import { expect } from 'vitest';
import type { Depot } from '#test/kit/depot.ts';
import type { Proofs } from './rows.ts';
import { walked } from './walked.ts';

const QUERY = 'test/scenario/data-query-contract.test.ts';
const FILES = 'test/scenario/data-files.test.ts';
const EXPRESSIONS = 'test/scenario/expressions.test.ts';
const UNAVAILABLE = 'test/actors/data/unavailable.test.ts';
const ENGINE = 'test/actors/engine/rows/engine.property.test.ts';
const UNKNOWN = '01J0000000000000000000000A';

type Tables =
  | 'Headers'
  | 'Response envelope'
  | 'Error envelope'
  | 'List parameters'
  | 'Single row and download'
  | 'Search';

export function reading(depot: () => Depot): { readonly [T in Tables]: Proofs<T> } {
  const params = (row: string) => walked(`list parameters: ${row}`);
  const fault = { file: UNAVAILABLE, title: 'when the turn could not run' };
  return {
    Headers: {
      'X-Customer, X-Product, X-Env, X-Tenant: one missing or malformed is 400 invalid tenant': async () => {
        const { bearer, send } = { bearer: depot().bearer, send: depot().send.bind(depot()) };
        for (const name of ['X-Customer', 'X-Product', 'X-Env', 'X-Tenant'])
          for (const value of [undefined, 'No_Slug', 'a b', '-x', 'a:b']) {
            const { [name]: _, ...others } = bearer;
            const answer = await send('GET', 'rest/box', undefined, {
              ...others,
              ...(value !== undefined && { [name]: value }),
            });
            expect([name, value, answer.status, answer.json.error]).toEqual([name, value, 400, 'invalid tenant']);
          }
      },
      'no resolved tenant: 403 v2.no_tenant': {
        file: 'test/scenario/door.test.ts',
        title: 'a configured tenant that is not provisioned: 403 v2.no_tenant',
      },
      'Content-Type: application/json; charset=utf-8': async () => {
        for (const path of ['rest/box', `rest/box/id/${UNKNOWN}`, 'rest/nothing', 'schema', 'health'])
          expect((await depot().send('GET', path)).headers.get('content-type')).toBe('application/json; charset=utf-8');
      },
      'X-RateLimit-*: only where a limiter is installed': async () => {
        const answer = await depot().send('GET', 'rest/box');
        expect([...answer.headers.keys()].filter((name) => name.startsWith('x-ratelimit'))).toEqual([]);
      },
      'Retry-After on 429: seconds, rounded up, at least 1': {
        file: 'test/scenario/endpoints.test.ts',
        title: '429 v2.rate_limited with its details and Retry-After',
      },
      'Content-Disposition on file download and CSV export': async () => {
        await depot().box();
        const answer = await depot().send('PATCH', 'bulk?entity=box&format=csv');
        expect(answer.headers.get('content-disposition')).toBe('attachment; filename=box.csv');
        expect((await depot().send('GET', 'rest/box')).headers.get('content-disposition')).toBeNull();
      },
    },
    'Response envelope': {
      'data: always; a single row is a one-element array': walked('envelope: data'),
      'count: rows in this response': walked('envelope: count'),
      'total: when the engine reports one': walked('envelope: total'),
      'stats: sql, duration_ms, total_count, include_sql, rows_affected': walked('envelope: stats'),
      'meta: entity, primary_key, fields': walked('envelope: meta'),
      'states: one object per row': walked('envelope: states'),
      allowed_actions: walked('envelope: allowed_actions'),
      'page: when cursors are used': walked('envelope: page'),
      'expression: the program runs over the envelope; none gives null, several an array': {
        file: EXPRESSIONS,
        title: 'what the program gives is the body',
      },
      'expression: on every enveloped route, search, restore, the operations envelope and the mirror': async () => {
        const it = depot();
        const id = await it.box({ name: 'expressed' });
        const ask = async (method: string, path: string, program: string, body?: unknown) =>
          (
            await it.send(
              method,
              `${path}${path.includes('?') ? '&' : '?'}expression=${encodeURIComponent(program)}`,
              body,
            )
          ).json as unknown;
        for (const at of ['rest', 'anon/rest']) {
          expect(await ask('GET', `${at}/box?name=expressed`, '.data[0].id')).toBe(id);
          expect(await ask('GET', `${at}/box/id/${id}`, '.data[0].name')).toBe('expressed');
          expect(await ask('POST', `${at}/box/search`, '.count', { filter: { name: 'expressed' } })).toBe(1);
          expect(await ask('POST', `${at}/box`, '.data[0].name', { name: 'n' })).toBe('n');
          expect(await ask('PATCH', `${at}/box`, '.data[0].count', { id, count: 5 })).toBe(5);
          expect(await ask('PUT', `${at}/box/id/${id}`, '.data[0].count', { count: 6 })).toBe(6);
          const operations = [{ data: { box: { name: 'o' } } }];
          expect(await ask('POST', at, '.operations[0].affected_rows', { operations })).toBe(1);
          expect(await ask('DELETE', `${at}/box/id/${id}`, '.data[0].deleted_at | type')).toBe('string');
          expect(await ask('POST', `rest/box/id/${id}/restore`, '.data[0].deleted_at')).toBeNull();
        }
      },
      'expression: 400 v2.bad_expression': { file: EXPRESSIONS, title: '400 v2.bad_expression: it does not compile' },
      'expression: 500 v2.expression_runtime, also past 2 seconds': {
        file: EXPRESSIONS,
        title: '500 v2.expression_runtime: it fails, or takes longer than 2 seconds',
      },
    },
    'Error envelope': {
      error: walked('error: error'),
      code: walked('error: code'),
      details: walked('error: details'),
      'an unrouted path: a bare 404 without a body': walked('error: unrouted'),
      'an invalid or expired token: plain-text Unauthorized': {
        file: 'test/scenario/data.test.ts',
        title: '%s: a plain-text 401 without a code',
      },
      'v2.rate_limited: profile, limit, remaining, retry_after': {
        file: 'test/scenario/endpoints.test.ts',
        title: '429 v2.rate_limited with its details and Retry-After',
      },
    },
    'List parameters': {
      'select, fields; select wins': params('select'),
      'orderby, order_by; -field, asc, desc': params('orderby'),
      'limit, pagesize; limit wins': params('pagesize'),
      offset: params('offset'),
      'page: 1-based, needs a limit, ignored beside offset': params('page'),
      after: {
        file: QUERY,
        title:
          'list parameters: after. A walk along Link neither repeats nor leaves out a row, whatever is written meanwhile',
      },
      before: { file: QUERY, title: 'list parameters: before. The page next to the cursor, in the same order' },
      include: params('include'),
      groupby: params('groupby'),
      'filter: split on the first =, AND-ed': params('filter'),
      'any other key: equality, AND-ed': params('any other key'),
      'reserved keys are no predicates, in any case': params('reserved keys'),
      'deleted=true': params('deleted'),
      datastore: params('datastore'),
      'deletechildren is parsed and ignored': params('deletechildren'),
      'sendstats, sendmeta, sendstates, sendallowedactions': params('sendstats'),
      'field[op]=value': walked('flags and operators: operators'),
      depth: walked('flags and operators: depth'),
      having: walked('flags and operators: having'),
      sendhash: walked('flags and operators: sendhash'),
      unmask: walked('flags and operators: unmask'),
      untokenize: walked('flags and operators: untokenize'),
      'version=N reads an old version of a versioned row': async () => {
        const id = await depot().box({ name: 'first' });
        await depot().send('PATCH', `rest/box/id/${id}`, { name: 'second' });
        const old = await depot().send('GET', `rest/box/id/${id}?version=1`);
        expect([old.status, old.json.data[0]!['name'], old.headers.get('etag')]).toEqual([200, 'first', '"1"']);
        expect((await depot().send('GET', `rest/box/id/${id}?version=9`)).json.code).toBe('v2.row_not_found');
        expect((await depot().send('GET', 'rest/box?version=1')).json).toMatchObject({ code: 'v2.query_failed' });
        expect((await depot().send('GET', `rest/shelf/id/${await depot().shelf()}?version=1`)).status).toBe(422);
      },
      'the other flags change nothing': walked('flags and operators: other flags'),
      'list 200, also for zero rows': walked('list status: 200'),
      'list 400 v2.bad_path': walked('list status: 400 bad_path'),
      'list 404 v2.entity_not_found': walked('list status: 404 entity_not_found'),
      'list 403 v2.query_failed': walked('list status: 403'),
      'list 404 v2.query_failed': { unreachable: 'v2.entity_not_found pre-empts it on a list' },
      'list 422 v2.query_failed': walked('list status: 422'),
      'list 500 v2.query_failed': { file: ENGINE, title: 'a scan that outlives its snapshot is given up' },
      'list 500 v2.engine_unavailable': fault,
    },
    'Single row and download': {
      'GET by id: a one-element data': walked('single row: 200'),
      '404 v2.row_not_found when missing': walked('single row: 404 row_not_found'),
      '404 v2.row_not_found when soft-deleted': walked('single row: 404 soft-deleted'),
      'the list parameters on a single row': walked('single row: parameters'),
      'download streams the bytes: Content-Type, attachment, Content-Length': {
        file: FILES,
        title: 'all bytes, with their type, length, attachment and nosniff; any case of true',
      },
      'download matches only true, in any case': {
        file: FILES,
        title: 'without an id: 400 v2.download_needs_id; download=false is a plain read',
      },
      '400 v2.download_needs_id': {
        file: FILES,
        title: 'without an id: 400 v2.download_needs_id; download=false is a plain read',
      },
      '400 v2.missing_field': { file: FILES, title: 'no field' },
      '400 v2.field_not_file': { file: FILES, title: 'no file field' },
      '404 v2.field_not_found': { file: FILES, title: 'an unknown field' },
      '404 v2.field_empty': { file: FILES, title: 'no file in it' },
      '501 v2.file_downloader_unconfigured': {
        file: 'test/actors/data/file/unconfigured.test.ts',
        title: '501 v2.file_downloader_unconfigured for a download',
      },
    },
    Search: {
      'filter in the body, AND-ed onto the query of the URL': walked('search: filter'),
      'pagination, sort, projection and includes of the URL apply': walked('search: url'),
      'an empty body is a list': walked('search: empty body'),
      '400 v2.search_body_parse_failed': walked('search: body_parse_failed'),
      '400 v2.bad_path': walked('search: bad_path'),
      '501 v2.search_text_not_supported': walked('search: text'),
      '501 v2.search_dsl_not_supported': walked('search: dsl'),
      '403 v2.search_query_failed': walked('search: 403'),
      '404 v2.search_query_failed': walked('search: 404'),
      '422 v2.search_query_failed': walked('search: 422'),
      '500 v2.search_query_failed': fault,
    },
  };
}
