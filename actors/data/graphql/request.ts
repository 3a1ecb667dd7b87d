/** Requests of GraphQL over HTTP (GraphQL over HTTP, "Request Parameters"). */
import type { Call } from '#actors/host/call.ts';
import { parseExactJson } from '#actors/kit/json.ts';
import { isJsonObject } from '#actors/kit/long-number.ts';
import type { Input } from '#actors/kit/field-check.ts';
import { isRefusal, type Refusal } from '#actors/protocol/refusal.ts';
import { refuse } from '../refusals.ts';
import { objectBody } from '../rest/body.ts';
import type { GraphQLRequest } from './answer.ts';

type Bad = Refusal<'v2.bad_json'>;

const bad = (message: string): Bad => refuse('v2.bad_json', { message });
const JSON_TYPE = /^application\/json *(?:;|$)/i;

/** 400 `v2.bad_json` for a body that is no JSON object, for a list of requests too, and for parameters of the wrong type. */
export function postRequest(call: Call): GraphQLRequest | Bad {
  if (!JSON_TYPE.test(call.header('content-type') ?? '')) return bad('Content-Type must be application/json');
  const body = objectBody(call);
  return isRefusal(body) ? body : requestOf(body, true);
}

/** The parameters in the query string, variables and extensions as JSON. */
export function getRequest(call: Call): GraphQLRequest | Bad {
  const body: Record<string, unknown> = {};
  for (const name of ['query', 'operationName']) if (call.query.has(name)) body[name] = call.query.get(name);
  for (const name of ['variables', 'extensions']) {
    const parsed = parseExactJson(call.query.get(name) ?? 'null');
    if (!parsed.ok) return bad(`${name}: ${parsed.fault}`);
    body[name] = parsed.value;
  }
  return requestOf(body, false);
}

function requestOf({ query, operationName, variables, extensions }: Input, mutates: boolean): GraphQLRequest | Bad {
  if (typeof query !== 'string') return bad('query must be a string');
  if (operationName !== undefined && operationName !== null && typeof operationName !== 'string')
    return bad('operationName must be a string');
  if (!isMap(variables)) return bad('variables must be an object');
  if (!isMap(extensions)) return bad('extensions must be an object');
  return { query, operationName: operationName ?? null, variables: variables ?? {}, mutates };
}

function isMap(value: unknown): value is Input | null | undefined {
  return value === undefined || value === null || isJsonObject(value);
}
