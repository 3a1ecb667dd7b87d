/** The gate of the admin plane: checks the caller and the datastore before a handler runs. */
import type { Call } from '#actors/host/call.ts';
import type { Handlers } from '#actors/host/service.ts';
import { admits } from '#actors/kit/admits.ts';
import { shown } from '#actors/kit/shown.ts';
import type { Refusal } from '#actors/protocol/refusal.ts';
import type { Outcome, RouteRow, RouteTable } from '#actors/protocol/route.ts';
import { DEFAULT_DATASTORE } from '#actors/engine/rows/parameters.ts';
import { refuse } from '../refusals.ts';

type AdminTable = RouteTable;
type Answer = Outcome<RouteRow> | Promise<Outcome<RouteRow>>;

/** The handlers of the plane behind its gate: 403 by the row's callers, then 404 for a datastore that the tenant does not have. */
export function gated<T extends AdminTable>(rows: T, handlers: Handlers<T>): Handlers<T> {
  return guarding(rows, handlers, (row, call) => {
    if (admits(row.callers, call.principal, call.activation.position)) return refusedDatastore(row, call);
    return refuse(row.refusals.includes('v2.requires_admin') ? 'v2.requires_admin' : 'v2.requires_superadmin');
  });
}

/** Checks the datastore alone: the caller was authorized where the request came in. */
export function datastoreChecked<T extends AdminTable>(rows: T, handlers: Handlers<T>): Handlers<T> {
  return guarding(rows, handlers, refusedDatastore);
}

type Guard = (row: RouteRow, call: Call) => Refusal | null;

function guarding<T extends AdminTable>(rows: T, handlers: Handlers<T>, guard: Guard): Handlers<T> {
  const entries = Object.entries(rows).map(([name, row]): [string, unknown] => {
    const handler = handlers[name] as (call: Call) => Answer;
    return [name, (call: Call) => guard(row, call) ?? handler(call)];
  });
  return Object.fromEntries(entries) as Handlers<T>;
}

/** Checks the datastore of the query, for rows about one datastore that take no body (docs/contract/data-admin.md §2). */
function refusedDatastore(row: RouteRow, call: Call): Refusal<'v2.datastore_not_found'> | null {
  if (row.body !== 'none' || !row.refusals.includes('v2.datastore_not_found')) return null;
  return unknownDatastore(call.query.get('datastore') ?? undefined);
}

/** Null where the name is that of the tenant's datastore, empty or absent; else 404. */
export function unknownDatastore(name: string | undefined): Refusal<'v2.datastore_not_found'> | null {
  if (name === undefined || name === '' || name === DEFAULT_DATASTORE) return null;
  return refuse('v2.datastore_not_found', {
    message: `no datastore ${shown(name)}`,
    details: { datastore: shown(name) },
  });
}

/** The members that every list of the plane begins with. */
export function placeOf(call: Call): { readonly tenant: string; readonly datastore: string } {
  return { tenant: call.activation.position.key, datastore: DEFAULT_DATASTORE };
}
