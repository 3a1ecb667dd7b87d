/** The OpenAPI 3.1 document of one tenant: the service's route rows, spelt out for the entities that the caller may see. */
import { FAMILY_SCHEMAS, responsesOf, schemaOf } from '#actors/protocol/answers.ts';
import { doorRefusals } from '#actors/protocol/door-refusals.ts';
import { POSITION, positionParameters, signedParameters } from '#actors/protocol/position-parameters.ts';
import type { Position } from '#actors/protocol/position.ts';
import type { Method } from '#actors/protocol/method.ts';
import type { Steps } from '#actors/kit/pace/steps.ts';
import type { RouteRow, RouteTable } from '#actors/protocol/route.ts';
import type { AccessOperation } from '#config/definitions/product.ts';
import { isMirror } from '../mirror.ts';
import { refusals } from '../refusals.ts';
import { envelope, row as rowShape, rowOrFile, rowOrRows } from '../shapes.ts';
import { describeSection, sectionRow, type OfferedSection } from './action-rows.ts';
import { endpointRow, type OfferedEndpoint } from './endpoint-rows.ts';
import { entitySchemas, schemaName } from './entity-schemas.ts';
import { filterParameters, LIST_PARAMETERS } from './query-parameters.ts';
import type { Visible, VisibleEntity } from './visible.ts';

type Json = Readonly<Record<string, unknown>>;
type Paths = Record<string, Record<string, Json>>;

const ENTITY = '{entity}';
/** No entity can have this name. */
const SERVICE_TAG = 'Service';

/** What a caller needs for a route; a route that is not named here is shown to everyone who sees the entity. */
const NEEDS: Readonly<Record<string, AccessOperation>> = {
  list: 'read',
  read: 'read',
  search: 'read',
  create: 'create',
  update: 'update',
  update_by_id: 'update',
  delete: 'delete',
  delete_found: 'delete',
  restore: 'restore',
};

interface Described {
  readonly position: Position;
  readonly product: string;
  /** The scripted endpoints that the caller may call. */
  readonly endpoints: readonly OfferedEndpoint[];
  /** The sections of actions that the caller may ever call. */
  readonly sections: readonly OfferedSection[];
}

/** The document of what a caller sees of a tenant, an entity a step. */
export function* tenantOpenApi(
  routes: RouteTable,
  visible: Visible,
  { position, product, endpoints, sections }: Described,
): Steps<Json> {
  const paths = yield* pathsOf(routes, visible);
  return {
    openapi: '3.1.0',
    info: {
      title: `${product}: ${position.key}`,
      version: '1',
      description: 'Entity REST of one tenant, as the caller who asked for this document may use it.',
      license: { name: 'Declared by the product', url: 'about:blank' },
    },
    servers: [{ url: '/' }],
    tags: tagsOf(visible),
    paths: { ...paths, ...actionPaths(routes, sections), ...endpointPaths(routes, endpoints) },
    components: {
      parameters: { ...positionParameters(), ...LIST_PARAMETERS },
      securitySchemes: SCHEMES,
      schemas: { ...familySchemas(routes), ...entitySchemas(visible) },
    },
  };
}

/**
 * The mirror is left out: it answers anonymous callers, not the one who asks for the document. So are WebSockets, which OpenAPI has no words for: an
 * operation needs an answer 2xx.
 */
function* pathsOf(routes: RouteTable, visible: Visible): Steps<Paths> {
  const paths: Paths = {};
  // A row without a reply only says that its path names nothing.
  const shown = Object.entries(routes).filter(
    ([, row]) =>
      row.listener !== 'own' && row.socket === undefined && !isMirror(row) && Object.keys(row.replies).length > 0,
  );
  for (const entity of visible.entities.values()) {
    for (const [name, row] of shown)
      if (row.path.includes(ENTITY) && isOffered(name, entity)) addRow(paths, name, row, entity);
    yield;
  }
  for (const [name, row] of shown) if (!row.path.includes(ENTITY)) addRow(paths, name, row, null);
  return paths;
}

function endpointPaths({ endpoint: row }: RouteTable, endpoints: readonly OfferedEndpoint[]): Paths {
  const paths: Paths = {};
  if (row === undefined) return paths;
  for (const one of endpoints) {
    const narrowed = endpointRow(row, one);
    addRow(paths, `endpoint.${one.verb.toLowerCase()}.${one.path}`, narrowed, null, {
      'x-writes': one.kind === 'mutate',
    });
  }
  return paths;
}

function actionPaths({ action_read: read, action: write }: RouteTable, sections: readonly OfferedSection[]): Paths {
  const paths: Paths = {};
  if (read === undefined || write === undefined) return paths;
  for (const one of sections) {
    const row = sectionRow(one.section === 'read' ? read : write, one);
    const { query, body, marks } = describeSection(one);
    const name = `action.${one.name}.${one.section}`;
    const parameters = [...parametersOf(name, row, null), ...query];
    const requestBody = body === null ? {} : { requestBody: jsonBody(body, false) };
    addRow(paths, name, row, null, { ...marks, parameters, ...requestBody });
  }
  return paths;
}

function tagsOf(visible: Visible): Json[] {
  const entities = [...visible.entities.keys()].map((name) => ({ name, description: `Rows of ${name}.` }));
  return [...entities, { name: SERVICE_TAG, description: 'What belongs to no entity.' }];
}

/** Schemas of the refusal families that the routes refer to, and of no other. */
function familySchemas(routes: RouteTable): Json {
  const { Coded, RateLimited } = FAMILY_SCHEMAS;
  return Object.values(routes).some(({ rate }) => rate !== undefined) ? { Coded, RateLimited } : { Coded };
}

const SCHEMES = {
  bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'PASETO v4.public' },
  staticKey: { type: 'apiKey', in: 'header', name: 'X-Api-Key' },
} as const;

function isOffered(name: string, { operations }: VisibleEntity): boolean {
  const needed = Object.hasOwn(NEEDS, name) ? NEEDS[name] : undefined;
  return needed === undefined || operations.has(needed);
}

/** `more`: what the operation says beyond its row. */
function addRow(paths: Paths, name: string, row: RouteRow, entity: VisibleEntity | null, more: Json = {}): void {
  const path = (entity === null ? row.path : row.path.replace(ENTITY, entity.model.name)).replaceAll('*}', '}');
  const item = (paths[path] ??= {});
  for (const method of row.methods) item[method.toLowerCase()] = { ...operation(name, row, method, entity), ...more };
}

function operation(name: string, row: RouteRow, method: Method, entity: VisibleEntity | null): Json {
  const suffix = row.methods.length === 1 ? '' : `.${method.toLowerCase()}`;
  const tag = entity?.model.name ?? SERVICE_TAG;
  return {
    operationId: `${tag}.${name}${suffix}`,
    tags: [tag],
    summary: entity === null ? row.summary : `${row.summary} of ${tag}`,
    security: securityOf(row),
    parameters: parametersOf(name, row, entity),
    ...(row.body === 'none' ? {} : { requestBody: bodyOf(name, row, entity) }),
    responses: answersOf(row, entity),
  };
}

function securityOf(row: RouteRow): Json[] {
  const { auth, static: statics } = row.callers;
  if (auth === 'none') return [];
  return statics.length > 0 ? [{ bearer: [] }, { staticKey: [] }] : [{ bearer: [] }];
}

/** Headers that OpenAPI declares by other means. */
const DECLARED_OTHERWISE = new Set(['accept', 'content-type', 'authorization', 'x-api-key']);

function parametersOf(name: string, row: RouteRow, entity: VisibleEntity | null): object[] {
  const inPath = [...row.path.replace(ENTITY, '').matchAll(/\{([a-z_]+)\*?\}/g)].map(([, parameter]) => ({
    name: parameter,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
  const at = positionOf(row);
  const reads = entity !== null && NEEDS[name] === 'read';
  const listed = reads ? Object.keys(LIST_PARAMETERS).map((key) => ({ $ref: `#/components/parameters/${key}` })) : [];
  const headers = (row.headers ?? [])
    .filter((header) => !header.startsWith(':') && !DECLARED_OTHERWISE.has(header))
    .map((header) => ({ name: header, in: 'header', required: false, schema: { type: 'string' } }));
  return [...inPath, ...at, ...headers, ...listed, ...(reads ? filterParameters(entity.model) : [])];
}

function positionOf({ position, positionIn }: RouteRow): readonly object[] {
  if (position === 'none') return [];
  if (positionIn === 'query') return signedParameters();
  return POSITION.map((header) => ({ $ref: `#/components/parameters/${header}` }));
}

function bodyOf(name: string, row: RouteRow, entity: VisibleEntity | null): Json {
  return jsonBody(bodySchema(name, row, entity), true);
}

const jsonBody = (schema: Json, required: boolean): Json => ({
  required,
  content: { 'application/json': { schema } },
});

function bodySchema(name: string, { request }: RouteRow, entity: VisibleEntity | null): Json {
  if (request === undefined) return { type: 'object' };
  if (entity === null || (request !== rowShape && request !== rowOrRows)) return schemaOf(request, 'input');
  const input = NEEDS[name] === 'create' ? 'create' : 'update';
  const one = { $ref: `#/components/schemas/${schemaName(entity.model, input)}` };
  return request === rowShape ? one : { anyOf: [one, { type: 'array', minItems: 1, items: one }] };
}

/**
 * The row's own answers, with the entity's envelope where the row has the common one. What an `expression` gives in its place is any JSON: a schema that
 * allows it would say nothing of the rows, and generators would write `unknown`. So the parameter says it.
 */
function answersOf(row: RouteRow, entity: VisibleEntity | null): Json {
  const answers = responsesOf(row, refusals, doorRefusals) as Record<string, Json>;
  if (entity === null) return answers;
  const schema = { $ref: `#/components/schemas/${schemaName(entity.model, 'envelope')}` };
  const rows = { description: 'Rows in their envelope.', content: { 'application/json': { schema } } };
  const hasFiles = entity.model.columns.some(({ type }) => type === 'file');
  for (const [status, shape] of Object.entries(row.replies)) {
    if (shape === envelope || (shape === rowOrFile && !hasFiles)) answers[status] = rows;
    else if (shape === rowOrFile) answers[status] = withContent(answers[status]!, rows.content);
    else if (status === '206' && !hasFiles) delete answers[status]; // a piece of a file
  }
  return answers;
}

function withContent(answer: Json, content: Json): Json {
  return { ...answer, content: { ...(answer['content'] as Json), ...content } };
}
