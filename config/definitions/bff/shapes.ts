/** Endpoints of the BFF for the service, read and checked by `load-bff.ts`. Shapes: docs/contract/bff.md §3. */

/** Sources that a placeholder may name. */
export const SOURCES = ['path', 'query', 'header', 'body', 'calls', 'principal'] as const;
export type Source = (typeof SOURCES)[number];

/** Members of the principal that a placeholder may name. */
export const PRINCIPAL_MEMBERS = ['type', 'subject', 'tenant', 'roles', 'scope', 'superadmin'] as const;

/** Request headers that a declaration may name; headers that identify the caller are never forwarded. */
export const BFF_HEADERS = [
  'accept',
  'accept-language',
  'content-type',
  'idempotency-key',
  'if-match',
  'if-none-match',
  'origin',
  'prefer',
  'referer',
  'user-agent',
  'x-correlation-id',
] as const;

/** `{{calls.city.data[0].name}}`: a source, and the path into it. */
export interface Reference {
  readonly source: Source;
  readonly steps: readonly string[];
}

/** A text and its placeholders, in order. */
export type TextTemplate = readonly (string | Reference)[];

/** A value whose texts may have placeholders. A text that is a single placeholder stands for the value itself. */
export type ValueTemplate =
  | { readonly kind: 'constant'; readonly value: unknown }
  | { readonly kind: 'value'; readonly reference: Reference }
  | { readonly kind: 'text'; readonly text: TextTemplate }
  | { readonly kind: 'list'; readonly items: readonly ValueTemplate[] }
  | { readonly kind: 'map'; readonly entries: readonly (readonly [string, ValueTemplate])[] };

export type Named = readonly (readonly [name: string, text: TextTemplate])[];

/** Services that answer inside a tenant, with their paths. */
export const INSIDE_PATHS = { data: ['/data/'], content: ['/content/', '/store/'] } as const;
export type InsideService = keyof typeof INSIDE_PATHS;

export type BffMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
export type OnError = 'fatal' | 'null' | 'default' | 'stale';

export interface BffCall {
  readonly name: string;
  readonly to:
    | { readonly kind: 'service'; readonly service: InsideService }
    /** `https://api.example.org`: fixed in the file, without placeholders. */
    | { readonly kind: 'outside'; readonly origin: string };
  readonly method: BffMethod;
  /** The call changes something at its target. */
  readonly writes: boolean;
  readonly path: TextTemplate;
  readonly query: Named;
  readonly headers: Named;
  readonly body: ValueTemplate | null;
  /** Calls that must end before it begins: named in `needs`, used in placeholders, and for a write all calls that could still fail the answer. */
  readonly needs: readonly string[];
  /** From 0: it begins when the last call of an earlier stage that it needs has ended. */
  readonly stage: number;
  readonly onError: OnError;
  readonly default: unknown;
  readonly timeoutMs: number;
  readonly retries: number;
  /** How long an answer is reused for the same principal; 0: never. */
  readonly cacheMs: number;
}

export type BffResponse =
  | { readonly language: 'jq'; readonly program: string; readonly where: string }
  | { readonly language: 'template'; readonly program: ValueTemplate };

export type BffAuth = 'public' | 'user' | 'service';

export interface BffEndpointDefinition {
  readonly name: string;
  readonly method: BffMethod;
  /** `/city/{id}`, without the service's prefix. */
  readonly path: string;
  readonly auth: BffAuth;
  /** Each after the calls that it needs. */
  readonly calls: readonly BffCall[];
  /** Null: `{data: {<call>: …}}`. */
  readonly response: BffResponse | null;
  readonly cacheMs: number;
  readonly where: string;
}
