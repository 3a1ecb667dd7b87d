/** A request as lines that a reader takes elsewhere: for a shell, for a program with the client. No token is in them. Pure. */
import { wordOf } from '../node/command.ts';
import type { Request } from './request.ts';
import { ACTIONS, ENDPOINTS } from './operations.ts';

const SECTIONS: Readonly<Record<string, string>> = {
  GET: 'read',
  POST: 'create',
  PUT: 'update',
  PATCH: 'update',
  DELETE: 'delete',
};

/** `position`: the headers that name the tenant. The token is the reader's own, in `TOKEN`. */
export function curlOf(
  { method, path, query, headers, body }: Request,
  gateway: string,
  position: Readonly<Record<string, string>>,
): string {
  const sent = { ...position, ...headers, ...(body !== undefined && { 'Content-Type': 'application/json' }) };
  const lines = [
    `curl${method === 'GET' ? '' : ` -X ${method}`} ${wordOf(`${gateway}${path}${query && `?${query}`}`)}`,
    '-H "Authorization: Bearer $TOKEN"',
    ...Object.entries(sent).map(([name, value]) => `-H ${wordOf(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`--data ${wordOf(JSON.stringify(body))}`]),
  ];
  return lines.join(' \\\n  ');
}

/** `skep` is a client of `@skep/client` at the tenant. */
export function clientLineOf(request: Request): string {
  const { method, path, query, body } = request;
  if (path.startsWith(ACTIONS)) return `await skep.action(${wordsOf(actionParts(request))});`;
  if (path.startsWith(ENDPOINTS)) return `await skep.endpoint(${wordsOf(endpointParts(request))});`;
  const ask = [
    `method: ${JSON.stringify(method)}`,
    `path: ${JSON.stringify(path)}`,
    ...(query === '' ? [] : [`query: new URLSearchParams(${JSON.stringify(query)})`]),
    ...(body === undefined ? [] : [`body: ${JSON.stringify(body)}`]),
  ];
  return `await skep.transport.send({ ${ask.join(', ')} });`;
}

const wordsOf = (parts: readonly unknown[]): string => parts.map((part) => JSON.stringify(part)).join(', ');

function actionParts({ method, path, query, body }: Request): unknown[] {
  const params = body ?? paramsOf(query);
  return [decodeURIComponent(path.slice(ACTIONS.length)), SECTIONS[method], ...(isEmpty(params) ? [] : [params])];
}

function endpointParts({ method, path, query, body }: Request): unknown[] {
  const options = { ...(query !== '' && { query: paramsOf(query) }), ...(body !== undefined && { body }) };
  return [method, decodeURIComponent(path.slice(ENDPOINTS.length)), ...(isEmpty(options) ? [] : [options])];
}

const isEmpty = (value: unknown): boolean => typeof value === 'object' && Object.keys(value ?? {}).length === 0;

/** A key that repeats is a list. */
function paramsOf(query: string): Record<string, string | string[]> {
  const params = new URLSearchParams(query);
  return Object.fromEntries(
    [...new Set(params.keys())].map((key) => {
      const values = params.getAll(key);
      return [key, values.length === 1 ? values[0]! : values];
    }),
  );
}
