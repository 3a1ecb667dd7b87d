/** The operations of a tenant's OpenAPI document, each with what it takes. Pure. */
import type { ApiDocument, Operation, OperationDoc, ParameterDoc, Schema, Taken } from './shapes.ts';

export const ACTIONS = '/data/actions/';
export const ENDPOINTS = '/data/x/';

const VERBS = ['get', 'post', 'put', 'patch', 'delete'];
/** The client sends where the tenant is. */
const POSITION = /^x-(?:customer|product|env|tenant)$/i;
/** Posts that read: a list by a filter in the body. */
const READS = /\/search$/;

/** In the order of their paths. */
export function operationsIn(document: ApiDocument): readonly Operation[] {
  const paths = Object.entries(document.paths).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return paths.flatMap(([path, item]) =>
    VERBS.flatMap((verb) => {
      const one = item[verb];
      return one === undefined ? [] : [operationOf(document, path, verb.toUpperCase(), one)];
    }),
  );
}

function operationOf(document: ApiDocument, path: string, method: string, doc: OperationDoc): Operation {
  const named = (doc.parameters ?? []).map((one) => parameterOf(document, one)).filter((one) => one !== null);
  const body = bodyOf(document, doc);
  // Members of a body that an action declares have controls of their own.
  const isSpelt = body !== null && isDeclared(path);
  return {
    id: `${method} ${path}`,
    method,
    path,
    about: doc.summary,
    takes: isSpelt ? [...named, ...membersOf(body)] : named,
    body: isSpelt ? null : body,
    writes: doc['x-writes'] ?? (method !== 'GET' && !READS.test(path)),
  };
}

const isDeclared = (path: string): boolean => path.startsWith(ACTIONS) && !path.includes('{');

function parameterOf({ components }: ApiDocument, given: ParameterDoc): Taken | null {
  const doc = given.$ref === undefined ? given : components.parameters[lastOf(given.$ref)];
  if (doc === undefined || (doc.in === 'header' && POSITION.test(doc.name))) return null;
  return {
    name: doc.name,
    in: doc.in as Taken['in'],
    isRequired: doc.required === true,
    about: doc.description ?? '',
    schema: doc.schema ?? {},
  };
}

function bodyOf(document: ApiDocument, { requestBody }: OperationDoc): Schema | null {
  const schema = requestBody?.content['application/json']?.schema;
  return schema === undefined ? null : resolved(document, schema);
}

/** The schema itself, or the first that it allows. */
function resolved(document: ApiDocument, schema: Schema): Schema {
  if (schema.$ref !== undefined) return document.components.schemas[lastOf(schema.$ref)] ?? {};
  return schema.anyOf?.[0]?.$ref === undefined ? schema : resolved(document, schema.anyOf[0]);
}

const membersOf = ({ properties = {}, required = [] }: Schema): Taken[] =>
  Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'body',
    isRequired: required.includes(name),
    about: schema.description ?? '',
    schema,
  }));

const lastOf = (ref: string): string => ref.slice(ref.lastIndexOf('/') + 1).replaceAll('~1', '/');

/** Actions and endpoints: what the product itself declares to be called. A section that two verbs call is there once. */
export const declaredIn = (operations: readonly Operation[]): readonly Operation[] =>
  operations.filter(({ path, method }) =>
    isDeclared(path) ? method !== 'PUT' : path.startsWith(ENDPOINTS) && !path.includes('{'),
  );

/** Those with all words of a text in their verb, path or description. */
export function found(operations: readonly Operation[], text: string): readonly Operation[] {
  const words = text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  return operations.filter(({ id, about }) => {
    const all = `${id} ${about}`.toLowerCase();
    return words.every((word) => all.includes(word));
  });
}
