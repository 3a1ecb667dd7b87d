/** The values for placeholders: the request, its caller, and the answers so far. */
import { BFF_HEADERS, type Reference } from '#config/definitions/bff/shapes.ts';
import type { Call } from '#actors/host/call.ts';
import { ANONYMOUS } from '#actors/protocol/principal.ts';

type Texts = Record<string, string>;

/** Maps without a prototype: no name that a caller sends has a meaning of its own. A jq response has it as its input. */
export interface Scope {
  readonly path: Readonly<Texts>;
  /** The first value of each parameter. */
  readonly query: Readonly<Texts>;
  readonly header: Readonly<Texts>;
  readonly body: unknown;
  readonly principal: Readonly<Record<string, unknown>>;
  readonly calls: Record<string, unknown>;
}

export function scopeOf(call: Call, params: Readonly<Texts>, body: unknown): Scope {
  const { type, subject, tenant, roles, scope, superadmin } = call.principal ?? ANONYMOUS;
  return {
    path: params,
    query: firstValues(call),
    header: headersOf(call),
    body,
    principal: { type, subject, tenant, roles, scope, superadmin },
    calls: bare(),
  };
}

function firstValues(call: Call): Texts {
  const query = bare<string>();
  if (call.rawQuery !== '') for (const [key, value] of call.query) query[key] ??= value;
  return query;
}

function headersOf(call: Call): Texts {
  const headers = bare<string>();
  for (const name of BFF_HEADERS) {
    const value = call.header(name);
    if (value !== undefined && value !== '') headers[name] = value;
  }
  return headers;
}

/** The value that a placeholder names, or undefined. Own members only. */
export function valueOf({ source, steps }: Reference, scope: Scope): unknown {
  let value: unknown = scope[source];
  for (const step of steps) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined;
    value = (value as Record<string, unknown>)[step];
  }
  return value;
}

export const bare = <T = unknown>(): Record<string, T> => Object.create(null) as Record<string, T>;
