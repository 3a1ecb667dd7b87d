/** What a row's `callers` mean for a person, read off the declaration once more: the node has its own reading (actors/kit/admits.ts). */
import { DEPLOYER } from '#config/deployer-role.ts';
import type { Place, Rule } from '#actors/protocol/callers.ts';
import type { Method } from '#actors/protocol/method.ts';
import type { RouteRow } from '#actors/protocol/route.ts';
import { CONTROL, type Person } from './people.ts';

export interface Cell {
  readonly row: RouteRow;
  readonly method: Method;
  readonly person: Person;
  /** The position in the headers. */
  readonly position: string;
  /** The tenant that path or body names. */
  readonly target: string;
}

/** Whether the declaration lets the person pass. */
export function mayPass(cell: Cell): boolean {
  const { callers, position: rule } = cell.row;
  const { kind, home, scope } = cell.person;
  if (callers.unread) return callers.auth === 'none' || kind !== 'key';
  if (kind === 'invalid') return false;
  if (kind === 'anonymous') return callers.anonymous;
  if (kind === 'static')
    return (
      callers.anonymous || (callers.static.includes(cell.method) && home.split(':')[1] === cell.position.split(':')[1])
    );
  const counts = rule === 'none' || (kind === 'service' ? reaches(scope, cell.position) : home === cell.position);
  if (!counts) return false;
  if (kind === 'key' && cell.person.roles.includes(DEPLOYER) && callers.keys?.roles?.includes(DEPLOYER) !== true)
    return false;
  if (kind === 'key') return callers.keys !== null && isMet(callers.keys, cell);
  if (kind === 'user') return callers.users.some((one) => isMet(one, cell));
  return callers.service === 'at' ? reaches(scope, cell.target) : callers.service !== null;
}

function isMet({ roles, anyCase, from, impersonation, scoped }: Rule, { person, position, target }: Cell): boolean {
  if (person.impersonation !== null && impersonation === 'none') return false;
  if (person.impersonation === 'readonly' && impersonation !== 'readonly') return false;
  if (scoped && person.scope.length === 0) return false;
  if (roles !== null && !person.roles.some((role) => roles.includes(anyCase ? role.toLowerCase() : role))) return false;
  return PLACES[from](person.home, target, position);
}

const planeOf = (tenant: string): string => tenant.split(':').with(3, 'superadmin').join(':');

const PLACES: Readonly<Record<Place, (home: string, target: string, position: string) => boolean>> = {
  here: (home, _target, position) => home === position,
  anywhere: () => true,
  at: (home, target) => home === target,
  'at or over': (home, target) => [target, planeOf(target), CONTROL].includes(home),
  over: (home, target) => [planeOf(target), CONTROL].includes(home),
  plane: (home, target) => home === planeOf(target),
  control: (home) => home === CONTROL,
};

/** Whether one of the grants covers a tenant; a grant is written customer:env:product:tenant. */
function reaches(scope: readonly string[], tenant: string): boolean {
  const [customer, product, env, name] = tenant.split(':');
  return scope.some((grant) =>
    grant.split(':').every((segment, i) => segment === '*' || segment === [customer, env, product, name][i]),
  );
}
