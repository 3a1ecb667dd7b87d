/** Which operation on which entity a request is, from its method and its path, by the rows of the data service's own routes. */
import type { AccessOperation } from '#config/definitions/product.ts';
import { compileRouter } from '#actors/protocol/router.ts';
import { routes } from '../routes.ts';

/** What the routes of rows ask a rule for. Other routes have rules of their own, or ask those of many entities. */
const OPERATIONS = {
  list: 'read',
  read: 'read',
  search: 'read',
  create: 'create',
  update: 'update',
  update_by_id: 'update',
  delete: 'delete',
  restore: 'restore',
} as const satisfies Partial<Record<keyof typeof routes, AccessOperation>>;

type RowRouteName = keyof typeof OPERATIONS;

const NAMES = Object.keys(OPERATIONS) as RowRouteName[];
const router = compileRouter(NAMES.map((name) => routes[name]));

export interface RowRoute {
  readonly route: RowRouteName;
  readonly operation: AccessOperation;
  readonly entity: string;
  /** As the path has it; null where the path names no row. */
  readonly id: string | null;
  readonly query: URLSearchParams;
}

/** What is asked for is nothing that rules decide; its message is for those who ask. */
export class ExplainFault extends Error {}

/** Throws an ExplainFault for anything but a route of rows. */
export function rowRouteOf(method: string, target: string): RowRoute {
  const [path = '', query = ''] = target.split('?', 2);
  const match = router.find(path, method);
  const no = match?.methods[method];
  if (match === null || no === undefined) throw new ExplainFault(unknown(method, path));
  const [entity = '', id] = match.params.split('\n').map(decoded);
  const route = NAMES[no]!;
  return { route, operation: OPERATIONS[route], entity, id: id ?? null, query: new URLSearchParams(query) };
}

function unknown(method: string, path: string): string {
  const known = NAMES.map((name) => `${routes[name].methods.join('|')} ${routes[name].path}`);
  return `${method} ${path} is no route of rows; explain knows ${known.join(', ')}`;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new ExplainFault(`the path is not percent-encoded: ${text}`);
  }
}
