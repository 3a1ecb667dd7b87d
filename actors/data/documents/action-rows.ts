/** The declared actions of a tenant as route rows, for the documents: each section that its rule might ever let the caller call, with its parameters. */
import { hash } from 'node:crypto';
import { FIELD_TYPES } from '#config/values/field-types.ts';
import type { ActionParameter, ActionSection } from '#config/definitions/product.ts';
import type { RouteRow } from '#actors/protocol/route.ts';
import type { Session } from '#actors/engine/rows/session.ts';
import type { Action, Actions } from '../action/registry.ts';
import { mayEverCall } from '../action/run-action.ts';
import { METHODS_OF } from '../action/verbs.ts';

type Json = Readonly<Record<string, unknown>>;

export interface OfferedSection {
  readonly name: string;
  readonly description: string;
  readonly section: ActionSection;
  readonly params: Readonly<Record<string, ActionParameter>>;
  /** Whether its statement changes rows. */
  readonly writes: boolean;
}

/** In the order of the names of actions. An action that does not compile is not among them. */
export function sectionsFor(session: Session, actions: Actions): readonly OfferedSection[] {
  return [...actions.values()].filter(({ faulty }) => !faulty).flatMap((action) => offeredOf(session, action));
}

const offeredOf = (session: Session, { definition, sections }: Action): OfferedSection[] =>
  [...sections.values()]
    .filter((one) => mayEverCall(session, one))
    .map(({ section, params, sql }) => {
      const { name, description } = definition;
      return { name, description, section, params, writes: sql.writes };
    });

/** A cache key: the same text for the same sections. */
export const signatureOfSections = (sections: readonly OfferedSection[]): string =>
  hash('sha256', JSON.stringify(sections), 'base64url');

/** The row of all actions, narrowed to one section. */
export function sectionRow(row: RouteRow, { name, description, section }: OfferedSection): RouteRow {
  return {
    ...row,
    methods: METHODS_OF[section],
    path: `/data/actions/${name}`,
    body: takesQuery(section) ? 'none' : row.body,
    summary: description === '' ? `Call the ${section} section of the action ${name}` : description,
  };
}

/** What an operation of a section says beyond its row: its parameters, where the section takes them, and whether it writes. */
export function describeSection({ section, params, writes }: OfferedSection): Partition {
  const entries = Object.entries(params);
  const schemas = Object.fromEntries(entries.map(([name, parameter]) => [name, parameterSchema(parameter)]));
  if (takesQuery(section)) {
    const query = entries.map(([name, { required }]) => ({ name, in: 'query', required, schema: schemas[name] }));
    return { query, body: null, marks: { 'x-writes': writes } };
  }
  const required = entries.filter(([, one]) => one.required).map(([name]) => name);
  const body = { type: 'object', properties: schemas, ...(required.length > 0 && { required }) };
  return { query: [], body, marks: { 'x-writes': writes } };
}

interface Partition {
  readonly query: readonly object[];
  /** Null where the parameters are in the query. */
  readonly body: Json | null;
  readonly marks: Json;
}

const takesQuery = (section: ActionSection): boolean => section === 'read' || section === 'delete';

/** `x-type` is the type as the product declares it: several types are written as texts. */
function parameterSchema({ type, list, default: fallback }: ActionParameter): Json {
  const { schema, written } = FIELD_TYPES[type];
  const one = written ?? schema;
  const own = list ? { type: 'array', items: one } : one;
  return { ...own, 'x-type': list ? `${type}[]` : type, ...(fallback !== undefined && { default: fallback }) };
}
