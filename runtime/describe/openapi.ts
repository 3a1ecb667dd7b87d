/** The OpenAPI 3.1 description of a listener, made of route rows. */
import type { RefusalTable } from '#actors/protocol/refusal.ts';
import type { Method } from '#actors/protocol/method.ts';
import type { RouteRow } from '#actors/protocol/route.ts';
import { POSITION, positionParameters, signedParameters } from '#actors/protocol/position-parameters.ts';
import { FAMILY_SCHEMAS, responsesOf, schemaOf } from '#actors/protocol/answers.ts';
import type { ServiceRows } from '#runtime/route-directory.ts';
import { SECURITY_SCHEMES, securityOf, describeCallers } from './callers.ts';

type Json = Readonly<Record<string, unknown>>;

const BODY_TYPES = {
  none: [],
  json: ['application/json'],
  form: ['application/json', 'application/x-www-form-urlencoded', 'multipart/form-data'],
  stream: ['application/json', 'application/x-ndjson', 'text/csv'],
} as const;

export interface ApiInfo {
  readonly title: string;
  readonly version: string;
  readonly server: string;
}

/** Describes all given services. Throws when two rows answer the same method and path. */
export function openApi(services: readonly ServiceRows[], door: RefusalTable, info: ApiInfo): Json {
  const paths: Record<string, Record<string, Json>> = {};
  for (const service of services)
    for (const [name, row] of Object.entries(service.routes)) {
      const path = row.path.replaceAll('*}', '}');
      // The contract has a second spelling of some paths; it is no operation of its own.
      if (path.endsWith('/')) continue;
      const item = (paths[path] ??= {});
      for (const method of row.methods) {
        const key = method.toLowerCase();
        if (item[key] !== undefined) throw new Error(`${method} ${path} is described twice`);
        item[key] = operation(service, name, row, method, door);
      }
    }
  return {
    openapi: '3.1.0',
    info: { title: info.title, version: info.version, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
    servers: [{ url: info.server }],
    tags: services.map(({ name }) => ({ name, description: `Routes of the service ${name}.` })),
    paths,
    components: { parameters: positionParameters(), securitySchemes: SECURITY_SCHEMES, schemas: FAMILY_SCHEMAS },
  };
}

function operation(
  { name: service, refusals }: ServiceRows,
  name: string,
  row: RouteRow,
  method: Method,
  door: RefusalTable,
): Json {
  const suffix = row.methods.length === 1 ? '' : `.${method.toLowerCase()}`;
  return {
    operationId: `${service}.${name}${suffix}`,
    tags: [service],
    summary: row.summary,
    security: securityOf(row.callers),
    parameters: parametersOf(row),
    ...(row.body === 'none' ? {} : { requestBody: requestBody(row) }),
    responses: responsesOf(row, refusals, door),
    'x-callers': describeCallers(row.callers),
    'x-ack': row.ack,
    ...(row.rate === undefined ? {} : { 'x-rate': row.rate }),
  };
}

function parametersOf(row: RouteRow): Json[] {
  const inPath = [...row.path.matchAll(/\{([a-z_]+)(\*?)\}/g)].map(([, name, rest]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
    ...(rest === '*' ? { description: 'The rest of the path, slashes included.' } : {}),
  }));
  const position =
    row.position === 'none' || row.positionIn === 'query'
      ? []
      : POSITION.map((name) => ({ $ref: `#/components/parameters/${name}` }));
  const signed = row.positionIn === 'query' ? signedParameters() : [];
  const headers = (row.headers ?? [])
    .filter((name) => !name.startsWith(':') && !NOT_PARAMETERS.has(name))
    .map((name) => ({ name, in: 'header', required: false, schema: { type: 'string' } }));
  return [...inPath, ...position, ...signed, ...headers];
}

/** Headers that OpenAPI describes elsewhere, or that every client sends by itself. */
const NOT_PARAMETERS = new Set(['accept', 'content-type', 'authorization', 'host', 'origin']);

function requestBody(row: RouteRow): Json {
  const schema = row.request === undefined ? { type: 'object' } : schemaOf(row.request, 'input');
  const urlencoded = row.urlencoded === true ? ['application/x-www-form-urlencoded'] : [];
  const types = [...BODY_TYPES[row.body], ...urlencoded, ...(row.multipart === true ? ['multipart/form-data'] : [])];
  return { required: true, content: Object.fromEntries(types.map((type) => [type, { schema }])) };
}
