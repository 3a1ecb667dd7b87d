/**
 * The superadmin plane: every row of the admin plane once more under `/data/superadmin/tenant/{tenant}`, for superadmins alone
 * (docs/contract/data-admin.md §9.2). Rows and handlers are derived, so that a new row cannot be forgotten.
 */
import type { Call } from '#actors/host/call.ts';
import type { Handler, Handlers } from '#actors/host/service.ts';
import type { RouteRow } from '#actors/protocol/route.ts';

import { OVERSEERS } from './class.ts';

const ADMIN = '/data/admin/data';
export const MIRROR = '/data/superadmin/tenant/{tenant}';
const PREFIX = 'superadmin_';

/** Refusals of every row of the plane before its tenant is asked. */
export const SUPERADMIN_REFUSALS = [
  'unauthorized',
  'v2.requires_superadmin',
  'v2.missing_tenant',
  'v2.invalid_tenant',
  'v2.no_tenant',
  'v2.engine_unavailable',
] as const;

type Codes<R extends RouteRow> =
  | Exclude<R['refusals'][number], 'v2.requires_admin'>
  | (typeof SUPERADMIN_REFUSALS)[number];
type MirrorRow<R extends RouteRow> = Omit<R, 'refusals' | 'callers'> &
  Pick<RouteRow, 'callers'> & { readonly refusals: readonly Codes<R>[] };
type Table = Readonly<Record<string, RouteRow>>;

export type SuperadminOf<T extends Table> = {
  readonly [K in keyof T & string as `${typeof PREFIX}${K}`]: MirrorRow<T[K]>;
};

/** The mirror's rows: the segment `admin/data` is dropped, the tenant stands in the path. */
export function superadminOf<T extends Table>(rows: T): SuperadminOf<T> {
  const mirrored = Object.entries(rows).map(([name, row]) => [PREFIX + name, mirrorRow(row)]);
  return Object.fromEntries(mirrored) as SuperadminOf<T>;
}

function mirrorRow(row: RouteRow): RouteRow {
  const own = row.refusals.filter((code) => code !== 'v2.requires_admin');
  return {
    ...row,
    callers: OVERSEERS,
    path: MIRROR + row.path.slice(ADMIN.length),
    refusals: [...new Set([...SUPERADMIN_REFUSALS, ...own])],
    summary: `${row.summary} (of the tenant in the path)`,
  };
}

type MirrorHandlers<T extends Table> = {
  readonly [K in keyof T & string as `${typeof PREFIX}${K}`]: Handler<MirrorRow<T[K]>>;
};

/** The handlers of the mirror's rows by name: those of the rows that they mirror. They do not check the caller. */
export function superadminHandlers<T extends Table>(rows: T, handlers: Handlers<T>): MirrorHandlers<T> {
  const entries = Object.keys(rows).map((name): [string, unknown] => [
    PREFIX + name,
    handlers[name] as (call: Call) => unknown,
  ]);
  return Object.fromEntries(entries) as MirrorHandlers<T>;
}
