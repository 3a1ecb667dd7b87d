/**
 * The anonymous mirror: every route of rows except restore, the action alias and signed URLs, once more under `/data/anon/rest`, without a
 * token (docs/contract/data.md §3.3). Rows and handlers are derived, so that a new route cannot be forgotten.
 */
import { anonymous } from '#actors/protocol/callers.ts';
import type { Handler, Handlers } from '#actors/host/service.ts';
import type { RouteRow, RouteTable } from '#actors/protocol/route.ts';

const REST = '/data/rest';
const MIRROR = '/data/anon/rest';
const PREFIX = 'anon_';
/** Routes without a mirror, as `OwnPath` names them. */
const OWN = /\/(?:restore|sign|signed)$|\/action\//;
/** Headers that the mirror ignores: the product's static key, and the key of an answer kept for one caller (docs/contract/common.md §4.3). */
const IGNORED: ReadonlySet<string> = new Set(['x-api-key', 'idempotency-key']);

const MIRRORED = anonymous('access rules that admit anonymous callers');

type RestPath = `${typeof REST}${string}`;
type OwnPath = `${string}/restore` | `${string}/action/${string}` | `${string}/sign` | `${string}/signed`;

/** Names of the rows that are mirrored. */
type Mirrored<T extends RouteTable> = {
  [K in keyof T & string]: T[K]['path'] extends RestPath ? (T[K]['path'] extends OwnPath ? never : K) : never;
}[keyof T & string];

type MirrorRow<R extends RouteRow> = Omit<R, 'headers' | 'callers'> & Pick<RouteRow, 'headers' | 'callers'>;

export type MirrorOf<T extends RouteTable> = {
  readonly [K in Mirrored<T> as `${typeof PREFIX}${K}`]: MirrorRow<T[K]>;
};

type MirrorHandlers<T extends RouteTable> = {
  readonly [K in Mirrored<T> as `${typeof PREFIX}${K}`]: Handler<MirrorRow<T[K]>>;
};

export function isMirror({ path }: RouteRow): boolean {
  return path.startsWith(MIRROR);
}

/** The mirror's rows. The credential stays optional: an `ApiKey` header is refused there too (docs/contract/data.md §3.1). */
export function mirrorOf<T extends RouteTable>(rows: T): MirrorOf<T> {
  const mirrored = Object.entries(rows).filter(([, { path }]) => isMirrored(path));
  return Object.fromEntries(mirrored.map(([name, row]) => [PREFIX + name, mirrorRow(row)])) as MirrorOf<T>;
}

/** The handlers of the mirror's rows: those of the rows that they mirror. */
export function mirrorHandlers<T extends RouteTable>(rows: T, handlers: Handlers<T>): MirrorHandlers<T> {
  const names = Object.keys(rows).filter((name) => isMirrored(rows[name]!.path));
  const entries = names.map((name): [string, unknown] => [PREFIX + name, handlers[name]]);
  return Object.fromEntries(entries) as MirrorHandlers<T>;
}

function isMirrored(path: string): boolean {
  return path.startsWith(REST) && !OWN.test(path);
}

function mirrorRow(row: RouteRow): RouteRow {
  const { headers = [], ...others } = row;
  const kept = headers.filter((name) => !IGNORED.has(name));
  return {
    ...others,
    ...(kept.length > 0 && { headers: kept }),
    path: MIRROR + row.path.slice(REST.length),
    callers: MIRRORED,
    rate: 'data_anonymous',
    summary: `${row.summary} (anonymous mirror)`,
  };
}
