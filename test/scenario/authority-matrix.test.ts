/**
 * Every route of every service called as every kind of principal from every place, and the answer compared with what the route's
 * row declares (`callers`). The rows make the matrix, so a new route is in it by itself. The vault's routes have a listener and
 * callers of their own: vault-authority.test.ts.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Method } from '#actors/protocol/method.ts';
import type { RouteRow } from '#actors/protocol/route.ts';
import { routeDirectory } from '#runtime/route-directory.ts';
import { TENANT } from '#test/kit/platform-file.ts';
import { positionHeaders, type Answer } from '#test/kit/test-node.ts';
import { mayPass, type Cell } from '#test/scenario/authority-matrix/expected.ts';
import { World, type Person } from '#test/scenario/authority-matrix/people.ts';

let world: World;
beforeAll(async () => {
  world = await World.open();
}, 120_000);
afterAll(() => world.stop());

/** The refusals that mean "you may not": everything else means that the caller came in. */
const DENIED: ReadonlySet<string> = new Set([
  'auth_required',
  'invalid_token',
  'invalid_api_key',
  'apikey_required',
  'not_a_service_key',
  'requires_superadmin',
  'deploy_denied',
  'impersonation_denied',
  'session_denied',
  'requires_tenant_admin',
  'mfa_denied',
  'passkey_denied',
  'introspect_denied',
  'Unauthorized',
  'v2.requires_admin',
  'v2.requires_superadmin',
  'invitation_denied',
  'account_denied',
  'bff.unauthorized',
  'content.unauthorized',
  'audit.unauthorized',
  'audit.forbidden',
]);
/** Access rules answer these as well: they count as a denial where the person was to be kept out, and say nothing else. */
const RULES: ReadonlySet<string> = new Set(['v2.forbidden', 'content.forbidden']);

/** An answer that comes before the caller is judged, at planes and tenants whose product does not turn the routes on. */
const UNJUDGED = 'webauthn_disabled';

const LOG = `tenant/${TENANT.replaceAll(':', '/')}`;
const [customer, product, env, tenant] = TENANT.split(':') as [string, string, string, string];

/** What stands for a parameter of a path; `x` for the others. */
const PARAMETERS: Readonly<Record<string, string>> = { entity: 'item', key: TENANT, tenant };
/** Where a parameter means something else, and what a body or a query must say for the caller to be judged at all. */
const ASKS: Readonly<
  Record<
    string,
    { readonly parameters?: Readonly<Record<string, string>>; readonly body?: object; readonly query?: string }
  >
> = {
  'identity.introspect': { body: { token: 'x' } },
  'identity.registerTenant': { body: { customer, product, env, tenant } },
  'identity.applyTenantPlan': { body: { confirm_max_risk: 'low' } },
  'identity.impersonate': {
    body: {
      tenant: TENANT,
      user: `tenant_user@${TENANT.replaceAll(':', '.')}.example`,
      reason: 'the matrix',
      mode: 'full',
    },
  },
  'identity.enableTotp': { body: { code: '000000' } },
  'identity.disableTotp': { body: { code: '000000' } },
  'identity.renewRecoveryCodes': { body: { code: '000000' } },
  'identity.listSessions': { body: {} },
  'identity.revokeSession': { body: { id: 'x' } },
  'identity.rotateSession': { body: { id: 'x' } },
  'identity.createInvitation': { body: { email: 'new@example.org', roles: ['tenant_user'] } },
  'audit.newest': { query: `?prefix=${LOG}&source=host&member=x` },
};

interface Entry {
  readonly service: string;
  readonly name: string;
  readonly row: RouteRow;
}

const entries: Entry[] = routeDirectory
  .filter(({ name }) => name !== 'vault')
  .flatMap(({ name: service, routes }) => Object.entries(routes).map(([name, row]) => ({ service, name, row })));
/** Ends the sessions of its caller, so it comes last. */
const inOrder = entries.toSorted((a, b) => Number(a.name === 'logout') - Number(b.name === 'logout'));

const entryOf = (service: string, name: string): Entry =>
  entries.find((entry) => entry.service === service && entry.name === name)!;

function pathOf({ service, name, row }: Entry): string {
  const ask = ASKS[`${service}.${name}`] ?? {};
  const parameter = (key: string): string =>
    encodeURIComponent(ask.parameters?.[key] ?? (service === 'audit' && key === 'id' ? LOG : (PARAMETERS[key] ?? 'x')));
  return row.path.replaceAll(/\{(\w+)\*?\}/g, (_all, key: string) => parameter(key)) + (ask.query ?? '');
}

/** The tenant that the request names: beside the headers on data's superadmin plane, else the one of the tests. */
function targetOf({ row }: Entry, position: string): string {
  if (row.path.startsWith('/superadmin/deploy/')) return position.split(':').with(3, tenant).join(':');
  if (!row.path.startsWith('/data/')) return TENANT;
  return row.path.includes('{tenant}') ? position.split(':').with(3, tenant).join(':') : position;
}

function cellsOf(entry: Entry, method: Method): Cell[] {
  return world.people.flatMap((person) =>
    [...new Set([TENANT, person.home])].map((position) => {
      return { row: entry.row, method, person, position, target: targetOf(entry, position) };
    }),
  );
}

function baseOf({ service, row }: Entry): string | undefined {
  return row.listener === 'own' ? world.it.node.listeners[service] : world.it.gateway;
}

async function send(entry: Entry, { method, person, position }: Cell, base: string): Promise<Answer> {
  const { row, service, name } = entry;
  const body = row.body === 'none' || method === 'GET' ? undefined : (ASKS[`${service}.${name}`]?.body ?? {});
  const headers = { ...(row.position === 'none' ? {} : positionHeaders(position)), ...person.credential };
  return world.it.call(method, pathOf(entry), headers, body, base);
}

const codeOf = ({ json, text }: Answer): string => (json as { code?: string } | undefined)?.code ?? text;
const told = ({ method, row, person, position }: Cell, { status, text }: Answer): string =>
  `${method} ${row.path} as ${person.name} at ${position}: ${status} ${text.slice(0, 200)}`;

/** What is wrong in a cell, or null. */
function faultIn(cell: Cell, answer: Answer): string | null {
  const code = codeOf(answer);
  const isDenial = (answer.status === 401 || answer.status === 403) && DENIED.has(code);
  if (code === UNJUDGED && cell.position !== TENANT) return null;
  if (mayPass(cell)) return isDenial ? `refused, though the row admits it: ${told(cell, answer)}` : null;
  const isRefused = isDenial || (answer.status === 403 && RULES.has(code));
  return isRefused ? null : `admitted, though the row refuses it: ${told(cell, answer)}`;
}

let reached = 0;
let admitted = 0;

describe.each(inOrder.map((entry) => [`${entry.service}.${entry.name}`, entry] as const))('%s', (_name, entry) => {
  test.each(entry.row.methods)('%s', { timeout: 60_000 }, async (method) => {
    const base = baseOf(entry);
    // A listener that this node does not have shows probes only, and those are open to all.
    if (base === undefined) return expect(entry.row.callers.unread).toBe(true);
    const cells = cellsOf(entry, method);
    const faults = await Promise.all(cells.map(async (cell) => faultIn(cell, await send(entry, cell, base))));
    expect(faults.filter((fault) => fault !== null)).toEqual([]);
    reached += cells.length;
    admitted += cells.filter(mayPass).length;
  });
});

test('a row that declares something else than the node does is found, either way', async () => {
  const as = (service: string, name: string, from: string): Cell => {
    const row = { ...entryOf(service, name).row, callers: entryOf('data', from).row.callers };
    const anonymous = world.people.find(({ kind }) => kind === 'anonymous')!;
    return { row, method: 'GET', person: anonymous, position: TENANT, target: TENANT };
  };
  const open = as('data', 'health', 'locks');
  expect(faultIn(open, await send(entryOf('data', 'health'), open, world.it.gateway))).toMatch(/^admitted, though/);
  const closed = as('data', 'locks', 'health');
  expect(faultIn(closed, await send(entryOf('data', 'locks'), closed, world.it.gateway))).toMatch(/^refused, though/);
});

test('the matrix has reached every cell, and both kinds of them', () => {
  const kinds = new Set(world.people.map(({ kind }: Person) => kind));
  expect(kinds.size).toBe(6);
  const served = entries.filter((entry) => baseOf(entry) !== undefined);
  const cells = served.flatMap((entry) => entry.row.methods.flatMap((method) => cellsOf(entry, method)));
  expect(reached).toBe(cells.length);
  expect(reached).toBeGreaterThan(9_000);
  expect(admitted).toBeGreaterThan(2_000);
  expect(reached - admitted).toBeGreaterThan(2_000);
});
