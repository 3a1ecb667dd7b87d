/**
 * Messages of graphql-transport-ws, both ways (docs/contract/changes.md §10.4; the protocol: "GraphQL over WebSocket Protocol" of the package graphql-ws): what a
 * caller's message asks for, and answers of `POST /data/graphql` as messages of an operation. Pure.
 */
import { z } from 'zod';
import { limits } from '#config/limits.ts';
import { LongNumber } from '#config/values/long-number.ts';
import { parseExactJson } from '#actors/kit/json.ts';
import { isJsonObject } from '#actors/kit/long-number.ts';

/** Not looked at member by member: a service does that, within its own bounds. */
const members = z.custom<Readonly<Record<string, unknown>>>(isJsonObject, 'is no object');
const id = z.string().min(1).max(limits.changes.liveIdCharsMax);
/** What a field of a request may hold; its service says whether it is a key. */
const KEY = /^[\x21-\x7e]+$/;
const extensions = members.refine(
  ({ idempotencyKey: key }) => key == null || (typeof key === 'string' && KEY.test(key)),
  'idempotencyKey is not printable',
);

const message = z.discriminatedUnion('type', [
  z.object({ type: z.literal('connection_init'), payload: members.nullish() }),
  z.object({ type: z.literal('ping'), payload: members.nullish() }),
  z.object({ type: z.literal('pong'), payload: members.nullish() }),
  z.object({
    type: z.literal('subscribe'),
    id,
    payload: z.object({
      query: z.string(),
      operationName: z.string().nullish(),
      variables: members.nullish(),
      extensions: extensions.nullish(),
    }),
  }),
  z.object({ type: z.literal('complete'), id }),
]);

export type GraphqlMessage = z.output<typeof message>;
export type Operation = Extract<GraphqlMessage, { readonly type: 'subscribe' }>['payload'];

/** The message of a text; else what is wrong with it, in words. */
export function parseGraphqlMessage(text: string): GraphqlMessage | { readonly type: 'fault'; readonly fault: string } {
  const json = parseExactJson(text);
  if (!json.ok) return { type: 'fault', fault: json.fault };
  const parsed = message.safeParse(json.value);
  if (parsed.success) return parsed.data;
  const [{ path, message: why }] = parsed.error.issues as [z.core.$ZodIssue];
  return { type: 'fault', fault: path.length === 0 ? why : `${path.join('.')}: ${why}` };
}

interface WithRaw {
  /** ECMAScript proposal "JSON.parse source text access", which Node 22 has and these types lack. */
  rawJSON(text: string): unknown;
}

/** The body of `POST /data/graphql` that asks for the same. Numbers keep the digits that the caller wrote. */
export function bodyOf({ query, operationName, variables, extensions }: Operation): string {
  return JSON.stringify({ query, operationName, variables, extensions }, (_name, value: unknown) =>
    value instanceof LongNumber ? (JSON as unknown as WithRaw).rawJSON(value.digits) : value,
  );
}

/** Its Idempotency-Key; '' for none. */
export const keyOf = ({ extensions: of }: Operation): string => (of?.['idempotencyKey'] as string | undefined) ?? '';

const AUTHORIZATION = /^[\x20-\x7e]+$/;
const NAMED = /^(?:authorization|token)$/i;

/**
 * The credential in the payload of connection_init, as clients send it: `authorization` with or without a scheme, `token`, or either within `headers`. Null for
 * none; false for one that no field of a request can hold.
 */
export function credentialOf(payload: Readonly<Record<string, unknown>>): string | null | false {
  const { headers } = payload;
  const places = typeof headers === 'object' && headers !== null ? [payload, headers] : [payload];
  for (const place of places)
    for (const [name, value] of Object.entries(place)) {
      if (!NAMED.test(name) || value === null || value === '') continue;
      if (typeof value !== 'string' || !AUTHORIZATION.test(value)) return false;
      return value.includes(' ') ? value : `Bearer ${value}`;
    }
  return null;
}

export const nextMessage = (operation: string, answer: string): string =>
  `{"id":${JSON.stringify(operation)},"type":"next","payload":${answer}}`;

export const completeMessage = (operation: string): string => `{"id":${JSON.stringify(operation)},"type":"complete"}`;

/** `errors`: a list, as JSON. */
export const errorMessage = (operation: string, errors: string): string =>
  `{"id":${JSON.stringify(operation)},"type":"error","payload":${errors}}`;

/** An answer that is errors alone, without `data`: their list, as JSON; else null. */
export function errorsOf(answer: string): string | null {
  return answer.startsWith('{"errors":[') ? answer.slice('{"errors":'.length, -1) : null;
}

/** The event of the GraphQL over SSE protocol in a block: the answer of a `next`, null for `complete`; undefined for a comment. */
export function eventOf(block: string): string | null | undefined {
  if (block.startsWith('event: next\ndata: ')) return block.slice('event: next\ndata: '.length);
  return block.startsWith('event: complete\n') ? null : undefined;
}

/** A refusal (docs/contract/common.md §3) as the errors of GraphQL. */
export function refusedErrors(status: number, headers: string, body: string): string {
  const [, after] = /^Retry-After: (\d+)$/m.exec(headers) ?? [];
  const { code, message: why, details } = refusalOf(body.trim());
  const extensions = { code, status, details, retry_after: after === undefined ? undefined : Number(after) };
  return JSON.stringify([{ message: why, extensions }]);
}

interface Refused {
  readonly code: string;
  readonly message: string;
  readonly details?: unknown;
}

/** By the families of refusals (actors/protocol/refusal.ts): a plain body is its message, one of a rate has the code as its `error`. */
function refusalOf(body: string): Refused {
  if (!body.startsWith('{')) return { code: body.toLowerCase(), message: body };
  const { error, code, details, ...rest } = JSON.parse(body) as Readonly<Record<string, unknown>> & {
    readonly error: string;
    readonly code?: string;
  };
  return code === undefined ? { code: error, message: error, details: rest } : { code, message: error, details };
}
