/** What `skep types` writes: a module of types that `createClient<Schema>` of `@skep/client` takes. Pure: one product gives one text. */
import type { BffEndpointDefinition } from '#config/definitions/bff/shapes.ts';
import type { ChannelDefinition } from '#config/definitions/channels-section.ts';
import type {
  ActionDefinition,
  EndpointDefinition,
  ProductDefinition,
  StateflowDefinition,
} from '#config/definitions/product.ts';
import { FIELD_TYPES } from '#config/values/field-types.ts';
import type { Models } from '#actors/engine/rows/models.ts';
import { entityText } from './entity-types.ts';
import { literal, objectOf, typeOfSchema, TypeNames, unionOf, type Member } from './render.ts';

/** The module's text. `models`: the entities of the product as a new tenant serves them. */
export function clientTypes(product: ProductDefinition, models: Models): string {
  const names = new TypeNames();
  const entities = [...models.keys()].sort().map((name) => entityText(models.get(name)!, names.of(name)));
  const schema = objectOf([
    {
      name: 'entities',
      type: objectOf(
        entities.map(({ member }) => member),
        2,
      ),
    },
    { name: 'actions', type: objectOf(sorted(product.actions, actionMember), 2) },
    { name: 'stateflows', type: objectOf(sorted(product.stateflows, stateflowMember), 2) },
    { name: 'endpoints', type: objectOf(endpointMembers(product.endpoints), 2) },
    { name: 'bff', type: objectOf(endpointMembers(product.bff?.map(bffEndpoint)), 2) },
    { name: 'channels', type: objectOf(sorted(Object.entries(product.settings.channels ?? {}), channelMember), 2) },
  ]);
  const head = `/** Types of the product ${product.name}, for createClient<Schema> of @skep/client. Made by \`skep types\`: do not edit. */\n`;
  return [head, ...entities.map(({ interfaces }) => interfaces), `export interface Schema ${schema}\n`].join('\n');
}

function sorted<T>(all: readonly T[] = [], of: (one: T) => Member): Member[] {
  return all.map(of).sort((a, b) => (a.name < b.name ? -1 : 1));
}

const bffEndpoint = ({ path, method }: BffEndpointDefinition) => ({ path: path.replace(/^\//, ''), verb: method });

/** One path may have several verbs. */
function endpointMembers(endpoints: readonly Pick<EndpointDefinition, 'path' | 'verb'>[] = []): Member[] {
  const paths = [...new Set(endpoints.map(({ path }) => path))].sort();
  return paths.map((path) => {
    const verbs = endpoints.filter((one) => one.path === path).map(({ verb }) => literal(verb));
    return { name: path, type: unionOf(verbs.sort()) };
  });
}

function actionMember({ name, sections }: ActionDefinition): Member {
  const members = Object.entries(sections).map(([section, { params }]): Member => {
    const given = Object.entries(params).map(([param, { type, list, required }]): Member => {
      const { schema, written } = FIELD_TYPES[type];
      const one = typeOfSchema(written ?? schema);
      return { name: param, type: list ? `readonly (${one})[]` : one, optional: !required };
    });
    return { name: section, type: objectOf([{ name: 'params', type: objectOf(given, 8) }], 6) };
  });
  return { name, type: objectOf(members, 4) };
}

function channelMember([name, { entity, keyed = false, presence = false }]: [string, ChannelDefinition]): Member {
  const members = [
    { name: 'keyed', type: String(keyed || entity !== undefined) },
    { name: 'presence', type: String(presence) },
  ];
  return { name, type: objectOf(members, 4) };
}

/** The states in their order, each with its events. */
function stateflowMember({ entity, field, states }: StateflowDefinition): Member {
  const members = Object.entries(states).map(([name, { events }]): Member => {
    const targets = Object.entries(events).map(([event, { target }]) => ({ name: event, type: literal(target) }));
    return { name, type: objectOf(targets, 6) };
  });
  return { name: `${entity}.${field}`, type: objectOf(members, 4) };
}
