/** What docs/contract/data.md §5 says of reading, row by row, and a request that proves each. */
import { expect } from 'vitest';
import type { Case } from './case.ts';
import { AGGREGATE_CASES } from './aggregates.ts';
import { FAR_CASES } from './far.ts';
import { LIST_CASES } from './list.ts';
import { ROW_CASES } from './row.ts';
import { SEARCH_CASES } from './search.ts';

/** The tables of docs/contract/data.md §5: the heading, then its rows. */
export const CONTRACT: Readonly<Record<string, string>> = {
  envelope: 'data | count | total | stats | meta | states | allowed_actions | page',
  error: 'error | code | details | unrouted',
  'list parameters': `select | fields | orderby | order_by | limit | pagesize | offset | page | after | before | include |
    groupby | [aggregate] | [bucket] | [zone] | filter | [relation.field] | [field/member] | [relation][limit] | any other key | reserved keys | deleted | datastore | deletechildren |
    sendstats | sendmeta | sendstates | sendallowedactions`,
  'flags and operators': 'operators | depth | having | sendhash | unmask | untokenize | other flags | Link',
  'list status': '200 | 400 bad_path | 403 no_tenant | 404 entity_not_found | 403 | 404 | 422 | 500',
  'single row': '200 | 400 bad_path | 404 row_not_found | 404 soft-deleted | parameters | ETag | 304',
  search: 'filter | url | empty body | body_parse_failed | bad_path | text | dsl | 403 | 404 | 422 | static key',
  retired: `ramlschema | entities/list | entities/list/{entity} | entities/references | hashes/list | entities/diff |
    entities/diff/sync | entities/diff/sync/{entity} | entities/index | entities/validate | stateflows/{name}`,
};

/** Rows that cannot be reached here, each with its reason. */
export const UNREACHABLE: Readonly<Record<string, string>> = {
  'list status: 403 no_tenant': 'the door answers for a tenant that is not active (test/scenario/door.test.ts)',
  'list status: 404': 'entity_not_found pre-empts it on a list',
  'list status: 500': 'a fault; test/actors/data/unavailable.test.ts and engine.property.test.ts raise it',
};

const retired = (row: string, ask: string): Case => ({
  proves: `retired: ${row}`,
  ask,
  status: 404,
  see: (_body, answer) => expect(answer.text).toBe(''),
});
export const CASES: readonly Case[] = [
  ...LIST_CASES,
  ...AGGREGATE_CASES,
  ...FAR_CASES,
  ...ROW_CASES,
  ...SEARCH_CASES,

  retired('ramlschema', 'GET /data/ramlschema'),
  retired('entities/list', 'GET /data/entities/list'),
  retired('entities/list/{entity}', 'GET /data/entities/list/book'),
  retired('entities/references', 'GET /data/entities/references/book'),
  retired('hashes/list', 'GET /data/hashes/list'),
  retired('entities/diff', 'GET /data/entities/diff'),
  retired('entities/diff/sync', 'POST /data/entities/diff/sync'),
  retired('entities/diff/sync/{entity}', 'POST /data/entities/diff/sync/book'),
  retired('entities/index', 'POST /data/entities/index/book'),
  retired('entities/validate', 'POST /data/entities/validate'),
  retired('stateflows/{name}', 'GET /data/stateflows/lending'),
];
