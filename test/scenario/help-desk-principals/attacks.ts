/** Every route of the services of a tenant, as an attacker who knows every id would ask it: a route that is new is attacked by itself. */
import { intakeRoutes } from '#actors/intake/routes.ts';
import type { RouteRow } from '#actors/protocol/route.ts';
import { routeDirectory } from '#runtime/route-directory.ts';
import type { Targets } from './world.ts';

export interface Attack {
  /** `service.route`. */
  readonly route: string;
  readonly row: RouteRow;
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
  /** Whether it asks for something and changes nothing. */
  readonly reads: boolean;
}

/** Logins have scenarios of their own, and the authority matrix asks every route of identity; here its administration is attacked. */
const isAttacked = (service: string, { path, listener }: RouteRow): boolean =>
  listener !== 'own' && service !== 'vault' && (service !== 'identity' || path.startsWith('/auth/admin/'));

export const routesAttacked = routeDirectory.flatMap(({ name: service, routes }) =>
  Object.entries(service === 'intake' ? intakeRoutes() : routes)
    .filter(([, row]) => isAttacked(service, row))
    .map(([name, row]) => ({ route: `${service}.${name}`, row })),
);

const READING_POSTS = /\/search$|\/graphql$|\/sign$/;

export function attacksOn(targets: Targets): readonly Attack[] {
  return routesAttacked.flatMap(({ route, row }) =>
    placesOf(row.path, targets).flatMap(({ path, entity }) =>
      row.methods.flatMap((method: string) =>
        queriesOf(row, method, entity).flatMap((query) =>
          bodiesOf(row, method, entity, targets).map((body) => ({
            route,
            row,
            method,
            path: path + query,
            body,
            reads: isReading(row, method, body),
          })),
        ),
      ),
    ),
  );
}

function isReading({ path }: RouteRow, method: string, body: unknown): boolean {
  if (method === 'GET' || path === '/data/bulk') return method !== 'POST';
  if (!READING_POSTS.test(path)) return false;
  return !(body as { query?: string } | undefined)?.query?.startsWith('mutation');
}

const ENTITIES = ['ticket', 'comment', 'attachment', 'organisation'] as const;
type Entity = (typeof ENTITIES)[number];

function idsOf(entity: Entity, { asked, attachment, comment, note, organisation, ticket }: Targets): readonly string[] {
  return { ticket: [ticket, asked], comment: [comment, note], attachment: [attachment], organisation: [organisation] }[
    entity
  ];
}

interface Place {
  readonly path: string;
  readonly entity: Entity | null;
}

/** The paths of a row, with everything that an attacker could mean in place of its parameters. */
function placesOf(path: string, targets: Targets): Place[] {
  const of = (entity: Entity | null, values: Readonly<Record<string, string>>): Place => ({
    entity,
    path: path.replaceAll(/\{(\w+)\*?\}/g, (_all, key: string) => encodeURIComponent(values[key] ?? FIXED[key] ?? 'x')),
  });
  if (path.startsWith('/content/')) return [of(null, { id: targets.draft })];
  if (path.includes('/triggers/events/')) return [of(null, { id: targets.submission })];
  if (path.startsWith('/f/')) return [of(null, { id: 'contact' })];
  if (path.includes('/actions/')) return ['report', 'close_solved'].map((name) => of(null, { name }));
  if (!path.includes('{entity}')) return [of(null, {})];
  return ENTITIES.flatMap((entity) =>
    path.includes('{id}') ? idsOf(entity, targets).map((id) => of(entity, { entity, id })) : [of(entity, { entity })],
  );
}

const FIXED: Readonly<Record<string, string>> = { tenant: 'main', app: 'help', type: 'article', name: 'ticket' };

const INCLUDED: Readonly<Record<Entity, string>> = {
  ticket: 'organisation,comment_by_ticket,attachment_by_ticket',
  comment: 'ticket',
  attachment: 'ticket',
  organisation: 'ticket_by_organisation',
};
const READS = [
  '{ ticket { total nodes { subject text email answer organisation { name phone } comment_by_ticket { nodes { text } } } } }',
  '{ comment { nodes { text ticket { subject } } } organisation { nodes { name phone } } attachment { nodes { id } } }',
];
/** Every way in which a route lets its caller say what is wanted. */
function queriesOf({ path }: RouteRow, method: string, entity: Entity | null): readonly string[] {
  if (path === '/data/graphql')
    return method === 'GET' ? READS.map((query) => `?query=${encodeURIComponent(query)}`) : [''];
  if (path === '/data/bulk') return ENTITIES.map((one) => `?entity=${one}&format=json`);
  if (path === '/data/changes') return ENTITIES.map((one) => `?entity=${one}&after=0`);
  if (method === 'DELETE') return ['', '?purge=true'];
  if (method !== 'GET' || entity === null) return [''];
  const include = `?include=${INCLUDED[entity]}`;
  if (path.includes('{id}')) return ['', include, '?download=true&field=file', '?deleted=true'];
  const filter = entity === 'ticket' ? '?[organisation.name]=ACME-NAME&stats=true' : '?orderby=id&limit=500';
  return ['', include, filter, '?groupby=id', '?search=EVE', '?deleted=true'];
}

/** A body that would do harm, by route. */
function bodiesOf(row: RouteRow, method: string, entity: Entity | null, targets: Targets): readonly unknown[] {
  const { path } = row;
  if (method === 'GET' || row.body === 'none') return [undefined];
  if (path === '/data/graphql') return [...READS, ...mutationsOn(targets)].map((query) => ({ query }));
  if (path.endsWith('/search')) return [{ filter: {} }, { text: 'EVE' }];
  if (path.endsWith('/sign')) return [{ field: 'file' }];
  if (path === '/data/rest') return envelopesOn(targets);
  if (path === '/data/bulk') return ENTITIES.map((one) => [rowOf(one, targets)]);
  if (path.startsWith('/content/')) return [{ title: 'stolen', status: 'published', text: 'stolen' }];
  if (path.startsWith('/f/')) return [{ email: 'mallory@example.org' }];
  if (entity === null) return [{}];
  if (method === 'POST') return [rowOf(entity, targets), [rowOf(entity, targets)]];
  const [id] = idsOf(entity, targets);
  const change = { state: 'hidden', status: 'closed', priority: 'high', name: 'stolen' };
  const [one] = Object.entries(change).filter(([field]) => FIELDS[entity].includes(field));
  const changed = Object.fromEntries([one!]);
  return path.includes('{id}') ? [changed] : [{ id, ...changed }];
}

const FIELDS: Readonly<Record<Entity, readonly string[]>> = {
  ticket: ['status', 'priority'],
  comment: ['state'],
  attachment: ['state'],
  organisation: ['name'],
};

/** A row that would lie among those of Eve. */
function rowOf(entity: Entity, { ticket }: Targets): object {
  return {
    ticket: { subject: 'stolen', requester: 'eve', email: 'eve@example.org', submission: 'stolen', priority: 'high' },
    comment: { ticket_id: ticket, text: 'stolen' },
    attachment: { ticket_id: ticket, author: 'eve' },
    organisation: { name: 'stolen' },
  }[entity];
}

function envelopesOn(targets: Targets): object[] {
  const { ticket, note } = targets;
  const data = [
    ['create', { comment: rowOf('comment', targets) }],
    ['upsert', { ticket: { id: ticket, status: 'closed' } }],
    ['update', { comment: { id: note, state: 'hidden' } }],
    ['delete', { ticket: { id: ticket } }],
  ] as const;
  return data.map(([action, one]) => ({ operations: [{ action, data: one }] }));
}

function mutationsOn({ ticket, comment, asked }: Targets): string[] {
  return [
    `mutation { update_ticket(id: "${ticket}", data: {status: closed}) { id subject } }`,
    `mutation { update_ticket(id: "${asked}", data: {answer: "stolen"}) { id email } }`,
    `mutation { delete_ticket(id: "${ticket}") { id } }`,
    `mutation { create_comment(data: {ticket_id: "${ticket}", text: "stolen"}) { id } }`,
    `mutation { update_comment(id: "${comment}", data: {text: "stolen"}) { id } }`,
  ];
}
