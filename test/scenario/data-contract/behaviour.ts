/**
 * The rows of the contract (docs/contract/data-behaviour.md) for stateflows, actions, scripted endpoints, the cache and the content stores, one text each,
 * and what proves each: tests of their own.
 */
import type { ProofsOf } from '#test/kit/contract-table.ts';

export const BEHAVIOUR = {
  'Stateflow machine object': [
    'name, field, initial_state, states with type and events',
    'has_guard and has_actions, present only when true',
    'guard, action, entry and exit bodies are never serialised',
    'GET /data/stateflows: {stateflows, count}, sorted by name',
    'GET /data/stateflow/{name}: 404 v2.stateflow_not_found',
  ],
  'Stateflow writes': [
    'create with the state field omitted: initial_state',
    'create with a value that is not declared: rejected',
    'the target of an event of the current state: allowed',
    'a guard that fails: 422 v2.update_failed',
    'a guard that does not compile or throws: 500 v2.update_failed',
    'scripts run within the write, on every path',
    'a script that fails refuses the write',
  ],
  'Action result': [
    'total always, data and count when rows were returned',
    'the alias always returns data, count, total',
  ],
  Actions: [
    'GET reads, parameters from the query string',
    'DELETE takes parameters from the query string',
    'POST creates, parameters from the JSON body',
    'PUT and PATCH update',
    '_method and _format are stripped',
    'a missing body is valid when all parameters have defaults',
    'the alias defaults to read; _method picks another section',
    '400 v2.bad_path',
    '400 v2.bad_params',
    '403 v2.no_tenant',
    '404 v2.action_not_found',
    '405 v2.action_method_not_allowed with Allow and details.allowed',
    '500 v2.action_failed',
    '500 v2.engine_unexpected_type',
    'alias: 400 v2.bad_json',
    'alias: 400 v2.body_read',
    'alias: 500 v2.registry_unavailable',
    'no anonymous mirror',
    'action entry: name, description, entities, source, methods, has_access, sections; never SQL',
  ],
  'Scripted endpoints': [
    'exact-path lookup',
    'the declared verb; default POST for mutate, GET for query',
    'the return value is the whole body, status 200',
    'body cap 1 MiB; a GET on a query endpoint reads none',
    'query values are strings, the first of a repeated key',
    'an allow-listed subset of headers',
    'X-Cache is HIT or MISS where a TTL is declared',
    '400 v2.bad_body',
    '401 v2.unauthenticated',
    '403 v2.forbidden',
    '403 v2.no_tenant',
    '404 v2.endpoint_not_found',
    '404 v2.endpoint_path_missing',
    '405 v2.method_not_allowed with Allow',
    '429 v2.rate_limited',
    '500 v2.script_error',
    '500 v2.script_engine_missing',
  ],
} as const;

const FLOWS = 'test/scenario/stateflows.test.ts';
const MOVES = 'test/scenario/moves.test.ts';
const ACTIONS = 'test/scenario/actions.test.ts';
const ENDPOINTS = 'test/scenario/endpoints.test.ts';
const REGISTRY = 'test/actors/data/action/registry.test.ts';
const noTenant = {
  file: 'test/scenario/door.test.ts',
  title: 'a configured tenant that is not provisioned: 403 v2.no_tenant',
};

type Proved = { readonly [T in keyof typeof BEHAVIOUR]: ProofsOf<typeof BEHAVIOUR, T> };

export function behaviour(): Proved {
  const flows = (title: string) => ({ file: FLOWS, title });
  const moves = (title: string) => ({ file: MOVES, title });
  const acts = (title: string) => ({ file: ACTIONS, title });
  const ends = (title: string) => ({ file: ENDPOINTS, title });
  const registry = {
    file: REGISTRY,
    title: 'where the parser cannot be loaded: 500 v2.registry_unavailable by the alias, 500 v2.action_failed by name',
  };
  return {
    'Stateflow machine object': {
      'name, field, initial_state, states with type and events': flows(
        'GET /data/stateflows wraps machines as {stateflows, count}, sorted by name; no body of a guard',
      ),
      'has_guard and has_actions, present only when true': moves('has_actions shows, bodies and entry and exit never'),
      'guard, action, entry and exit bodies are never serialised': moves(
        'has_actions shows, bodies and entry and exit never',
      ),
      'GET /data/stateflows: {stateflows, count}, sorted by name': flows(
        'GET /data/stateflows wraps machines as {stateflows, count}, sorted by name; no body of a guard',
      ),
      'GET /data/stateflow/{name}: 404 v2.stateflow_not_found': flows('404 v2.stateflow_not_found'),
    },
    'Stateflow writes': {
      'create with the state field omitted: initial_state': flows(
        'none | create with the state field omitted | machine declared | initial_state',
      ),
      'create with a value that is not declared: rejected': flows(
        'none | create with a state value | value not declared | unchanged | write rejected',
      ),
      'the target of an event of the current state: allowed': flows(
        'current | PATCH or PUT equal to the target of an event | guard absent or passes | target | write allowed',
      ),
      'a guard that fails: 422 v2.update_failed': flows(
        'current | same | guard fails | current | 422 v2.update_failed',
      ),
      'a guard that does not compile or throws: 500 v2.update_failed': flows(
        'current | same | guard fails to compile | current | 500 v2.update_failed',
      ),
      'scripts run within the write, on every path': moves('the operations envelope: all or nothing'),
      'a script that fails refuses the write': moves('422 and nothing is written when a script %s'),
    },
    'Action result': {
      'total always, data and count when rows were returned': acts(
        'a statement that gives no rows answers its total alone; a missing body is valid when all have defaults',
      ),
      'the alias always returns data, count, total': acts(
        'reads unless _method names another verb; data, count and total always',
      ),
    },
    Actions: {
      'GET reads, parameters from the query string': acts('GET reads from the query string: total, data and count'),
      'DELETE takes parameters from the query string': acts(
        'PUT and PATCH update; DELETE takes its parameters from the query string and is ruled for itself',
      ),
      'POST creates, parameters from the JSON body': acts(
        'POST creates from the JSON body; defaults are filled in, and the stateflow’s initial state',
      ),
      'PUT and PATCH update': acts(
        'PUT and PATCH update; DELETE takes its parameters from the query string and is ruled for itself',
      ),
      '_method and _format are stripped': acts(
        'POST creates from the JSON body; defaults are filled in, and the stateflow’s initial state',
      ),
      'a missing body is valid when all parameters have defaults': acts(
        'a statement that gives no rows answers its total alone; a missing body is valid when all have defaults',
      ),
      'the alias defaults to read; _method picks another section': acts(
        'reads unless _method names another verb; data, count and total always',
      ),
      '400 v2.bad_path': acts('400 v2.bad_path'),
      '400 v2.bad_params': acts('400 v2.bad_params: %s'),
      '403 v2.no_tenant': noTenant,
      '404 v2.action_not_found': acts('404 v2.action_not_found'),
      '405 v2.action_method_not_allowed with Allow and details.allowed': acts('405 with every verb of the sections'),
      '500 v2.action_failed': acts('a value that the row cannot take, a unique one that is taken'),
      '500 v2.engine_unexpected_type': {
        unreachable:
          'every statement that compiles gives a count, and rows or none; another outcome would be a fault of ours',
      },
      'alias: 400 v2.bad_json': acts('400 v2.bad_json'),
      'alias: 400 v2.body_read': acts('400 v2.body_read: bytes that are no text'),
      'alias: 500 v2.registry_unavailable': registry,
      'no anonymous mirror': acts('401 without a token, and there is no mirror'),
      'action entry: name, description, entities, source, methods, has_access, sections; never SQL': {
        file: REGISTRY,
        title: 'the catalogue: one entry each, sorted as they were loaded, never a statement',
      },
    },
    'Scripted endpoints': {
      'exact-path lookup': ends('404 v2.endpoint_not_found with a slash too many'),
      'the declared verb; default POST for mutate, GET for query': ends(
        "the script's return value is the whole body, status 200; mutate defaults to POST",
      ),
      'the return value is the whole body, status 200': ends(
        "the script's return value is the whole body, status 200; mutate defaults to POST",
      ),
      'body cap 1 MiB; a GET on a query endpoint reads none': ends(
        'auth public needs no token; a GET on a query endpoint reads no body',
      ),
      'query values are strings, the first of a repeated key': ends(
        "the script's return value is the whole body, status 200; mutate defaults to POST",
      ),
      'an allow-listed subset of headers': ends(
        "the script's return value is the whole body, status 200; mutate defaults to POST",
      ),
      'X-Cache is HIT or MISS where a TTL is declared': ends(
        'X-Cache is MISS, then HIT with the same body; another query is another answer',
      ),
      '400 v2.bad_body': ends('400 v2.bad_body: %s'),
      '401 v2.unauthenticated': ends('401 v2.unauthenticated without a token, plain 401 Unauthorized with a bad one'),
      '403 v2.forbidden': ends('403 v2.forbidden: admins only'),
      '403 v2.no_tenant': noTenant,
      '404 v2.endpoint_not_found': ends('404 v2.endpoint_not_found'),
      '404 v2.endpoint_path_missing': ends('404 v2.endpoint_path_missing'),
      '405 v2.method_not_allowed with Allow': ends('405 v2.method_not_allowed with Allow'),
      '429 v2.rate_limited': ends('429 v2.rate_limited with its details and Retry-After'),
      '500 v2.script_error': ends('500 v2.script_error: %s'),
      '500 v2.script_engine_missing': {
        file: 'test/actors/data/endpoint/no-engine.test.ts',
        title: '500 v2.script_engine_missing where no jobs run; a write that causes a script is refused',
      },
    },
  };
}
