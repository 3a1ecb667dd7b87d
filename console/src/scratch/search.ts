/** What the addresses of the scratchpad say: a document that was run, a question that was asked. Pure. */
import { plain, type Search } from '../frame/search.ts';
import type { Filled } from '../requests/request.ts';

/** A longer document is run and is not in the address: servers and browsers take no address of any length. */
export const ADDRESS_CHARS_MAX = 4_000;

export interface GraphqlSearch {
  readonly query?: string;
  /** JSON as it was written. */
  readonly variables?: string;
  /** The type whose description is open. */
  readonly type?: string;
}

export interface ExpressionSearch {
  readonly entity?: string;
  /** The id of one row; absent for a list. */
  readonly id?: string;
  /** Parameters of the list, as an address has them. */
  readonly parameters?: string;
  readonly expression?: string;
}

export interface RestSearch {
  /** As `GET /data/rest/city`. */
  readonly operation?: string;
  /** What was filled in, as a JSON object of texts by name. */
  readonly values?: string;
  /** JSON as it was written. */
  readonly body?: string;
}

/** The named texts of a search that are there. */
function textsOf<Name extends string>(search: Search, names: readonly Name[]): Partial<Record<Name, string>> {
  const out: Partial<Record<Name, string>> = {};
  for (const name of names) {
    const value = search[name];
    const text = value === undefined ? '' : plain([value].flat()[0]);
    if (text !== '') out[name] = text;
  }
  return out;
}

export const readGraphqlSearch = (search: Search): GraphqlSearch => textsOf(search, ['query', 'variables', 'type']);

export const readExpressionSearch = (search: Search): ExpressionSearch =>
  textsOf(search, ['entity', 'id', 'parameters', 'expression']);

export const readRestSearch = (search: Search): RestSearch => textsOf(search, ['operation', 'values', 'body']);

/** What a request was filled in with, as an address has it; the operation alone where that is long. */
export function filledInAddress(operation: string, { texts, body }: Filled): RestSearch {
  const given = Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== ''));
  const values = Object.keys(given).length === 0 ? '' : JSON.stringify(given);
  return values.length + body.length > ADDRESS_CHARS_MAX ? { operation } : readRestSearch({ operation, values, body });
}

/** The other way; a part that is no JSON object of texts is left out. */
export function filledFrom({ values, body }: RestSearch): Partial<Filled> {
  return { ...(values !== undefined && { texts: readTexts(values) }), ...(body !== undefined && { body }) };
}

function readTexts(values: string): Readonly<Record<string, string>> {
  try {
    const given: unknown = JSON.parse(values);
    if (typeof given !== 'object' || given === null) return {};
    return Object.fromEntries(
      Object.entries(given).filter((one): one is [string, string] => typeof one[1] === 'string'),
    );
  } catch {
    return {};
  }
}

/** What of a document goes into the address: all of it, or nothing. */
export function inAddress(query: string, variables: string): GraphqlSearch {
  if (query.length + variables.length > ADDRESS_CHARS_MAX) return {};
  return readGraphqlSearch({ query, variables: variables.trim() });
}
