/** The answers of a route by status: its replies, its service's refusals, and what the door answers before the service is asked. */
import { z } from 'zod';
import type { Family, RefusalTable } from './refusal.ts';
import { readsCookies } from './cookies.ts';
import type { RouteRow } from './route.ts';
import { RETRY_AFTER } from './retry-after.ts';

type Json = Readonly<Record<string, unknown>>;

const JSON_TYPE = 'application/json';

export interface RefusedWith {
  readonly code: string;
  readonly family: Family;
  readonly cause: string;
}

/** The door's codes that a caller of the route can get. */
export function doorCodes(row: RouteRow): string[] {
  const codes: string[] = [];
  if (row.position === 'door') codes.push('invalid tenant', 'v2.no_tenant');
  if (row.body !== 'none') codes.push('body_too_large', 'body_too_slow');
  if (row.rate !== undefined) codes.push('rate_limited');
  if (readsCookies(row)) codes.push('cross_origin');
  if (row.position !== 'none') codes.push('suspended', 'tenant_suspended', 'tenant_read_only', 'tenant_quota');
  if (row.to === 'audit' && row.callers.auth !== 'none') codes.push('tenant_suspended');
  return [...codes, 'overloaded', 'unavailable'];
}

/** What the door answers in the service's words, where the service declares the status: a body over the cap, an empty bucket. */
const SPOKEN_FOR: ReadonlySet<string> = new Set(['body_too_large', 'rate_limited']);

/** Refusals by status, ascending: the service's, then the door's. */
export function refusalsByStatus(
  row: RouteRow,
  refusals: RefusalTable,
  door: RefusalTable,
): Map<number, RefusedWith[]> {
  const own = collect(row.refusals, refusals);
  for (const [status, list] of collect(doorCodes(row), door)) {
    const present = own.get(status);
    if (present === undefined) own.set(status, list);
    else own.set(status, [...present, ...list.filter(({ code }) => !SPOKEN_FOR.has(code))]);
  }
  return new Map([...own].sort(([a], [b]) => a - b));
}

function collect(codes: readonly string[], table: RefusalTable): Map<number, RefusedWith[]> {
  const out = new Map<number, RefusedWith[]>();
  for (const code of codes) {
    const row = table[code];
    if (row === undefined) throw new Error(`refusal ${code} is not declared`);
    for (const status of row.statuses)
      out.set(status, [...(out.get(status) ?? []), { code, family: row.family, cause: row.cause }]);
  }
  return out;
}

/** OpenAPI's `responses` of a route. */
export function responsesOf(row: RouteRow, refusals: RefusalTable, door: RefusalTable): Json {
  const refused = refusalsByStatus(row, refusals, door);
  const statuses = [...new Set([...Object.keys(row.replies).map(Number), ...refused.keys()])].sort((a, b) => a - b);
  return Object.fromEntries(
    statuses.map((status) => [String(status), responseOf(row.replies[status], refused.get(status) ?? [])]),
  );
}

function responseOf(reply: z.ZodType | null | undefined, refused: readonly RefusedWith[]): Json {
  const content = contentOf(reply ?? null);
  const json = content[JSON_TYPE]?.schema === undefined ? [] : [content[JSON_TYPE].schema];
  const coded = refused.filter(({ family }) => family === 'coded');
  if (coded.length > 0) json.push(codedSchema([...new Set(coded.map(({ code }) => code))]));
  if (refused.some(({ family }) => family === 'rate')) json.push({ $ref: '#/components/schemas/RateLimited' });
  if (json.length > 0) content[JSON_TYPE] = { schema: json.length === 1 ? json[0]! : { anyOf: json } };
  if (refused.some(({ family }) => family === 'plain')) content['text/plain'] = { schema: { type: 'string' } };
  return {
    description:
      refused.length === 0 ? 'Done.' : refused.map(({ code, cause }) => `\`${code}\`: ${cause}`).join('\n\n'),
    ...(refused.some(({ family }) => family === 'rate') ? { headers: RATE_HEADERS } : {}),
    ...(Object.keys(content).length > 0 ? { content } : {}),
  };
}

/** The media types of a reply. A union whose members have several is described by each; bytes have no schema (OpenAPI 3.1, "Media Type Object"). */
function contentOf(reply: z.ZodType | null): Record<string, { schema?: Json }> {
  if (reply === null) return {};
  const members = reply instanceof z.ZodUnion ? (reply.options as z.ZodType[]) : [reply];
  const content: Record<string, { schema?: Json }> = {};
  const json = members.filter((member) => mediaOf(member) === JSON_TYPE);
  const shape = json.length === members.length ? reply : json.length === 1 ? json[0]! : z.union(json);
  if (json.length > 0) content[JSON_TYPE] = { schema: schemaOf(shape, 'output') };
  for (const member of members)
    if (mediaOf(member) !== JSON_TYPE)
      content[mediaOf(member)] = member instanceof z.ZodString ? { schema: schemaOf(member, 'output') } : {};
  return content;
}

function mediaOf(reply: z.ZodType): string {
  return z.globalRegistry.get(reply)?.media ?? JSON_TYPE;
}

function codedSchema(codes: readonly string[]): Json {
  return {
    allOf: [{ $ref: '#/components/schemas/Coded' }, { type: 'object', properties: { code: { enum: codes } } }],
  };
}

const RATE_HEADERS = {
  [RETRY_AFTER]: { schema: { type: 'integer' }, description: 'Seconds until the next token.' },
  'X-RateLimit-Limit': { schema: { type: 'integer' }, description: 'Burst of the profile.' },
  'X-RateLimit-Remaining': { schema: { type: 'integer' }, description: 'Tokens left.' },
} as const;

/** Schemas of the two families whose bodies are JSON. */
export const FAMILY_SCHEMAS = {
  Coded: {
    type: 'object',
    required: ['error', 'code'],
    properties: { error: { type: 'string' }, code: { type: 'string' }, details: { type: 'object' } },
  },
  RateLimited: {
    type: 'object',
    required: ['error', 'profile', 'retry_after_seconds'],
    properties: {
      error: { const: 'rate_limited' },
      profile: { type: 'string' },
      retry_after_seconds: { type: 'integer' },
    },
  },
} as const;

/** JSON Schema 2020-12 of a shape, as OpenAPI 3.1 takes it. */
export function schemaOf(shape: z.ZodType, io: 'input' | 'output'): Json {
  const { $schema: _, media: _media, ...schema } = z.toJSONSchema(shape, { io, unrepresentable: 'any' });
  return schema;
}
