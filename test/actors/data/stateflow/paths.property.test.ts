/**
 * No path reaches a state that the machine forbids: generated machines, and writes by every way, against an oracle that knows
 * rows as objects and the machine as a list of edges.
 */
import { fc } from '#test/kit/property.ts';
import { expect, test } from 'vitest';
import { withInitialStates } from '#config/definitions/stateflow.ts';
import type { ProductDefinition, StateflowDefinition } from '#config/definitions/product.ts';
import { DataTenant, entityOf, productOf } from '#test/kit/data-call.ts';
import { testSeed } from '#test/kit/seed.ts';
import { ask } from '../graphql/kit.ts';

const seed = testSeed();
const STATES = ['a', 'b', 'c', 'd'] as const;
/** What callers write: states, and values that are none. */
const VALUES = [...STATES, 'e', ''];

interface Edge {
  readonly from: string;
  readonly to: string;
  readonly guarded: boolean;
}

interface Item {
  state: string;
  open: boolean;
  deleted: boolean;
}
type Items = Map<string, Item>;

function productWith(edges: readonly Edge[], initial: string): ProductDefinition {
  const eventsOf = (from: string): StateflowDefinition['states'][string]['events'] =>
    Object.fromEntries(
      edges.flatMap((edge, i) => {
        if (edge.from !== from) return [];
        const guard = { language: 'cel', rule: 'row.open' } as const;
        return [[`e${i}`, edge.guarded ? { target: edge.to, guard } : { target: edge.to }]];
      }),
    );
  const states = Object.fromEntries(STATES.map((state) => [state, { events: eventsOf(state) }]));
  const flow: StateflowDefinition = { name: 'flow', entity: 'item', field: 'state', initial, states, where: 'x' };
  const fields = {
    id: { type: 'string' },
    state: { type: 'string' },
    open: { type: 'boolean', default: false },
  } as const;
  const [entity] = withInitialStates([entityOf('item', fields, { traits: ['soft_delete'] })], [flow]);
  return { ...productOf([entity!]), stateflows: [flow] };
}

interface Wish {
  readonly verb: 'create' | 'update' | 'upsert' | 'delete' | 'purge' | 'restore';
  readonly id: string;
  readonly state: string | undefined;
  readonly open: boolean | undefined;
}

/** Whether a wish is allowed; what it makes of the items when it is. */
function apply(items: Items, edges: readonly Edge[], initial: string, wish: Wish): boolean {
  const { id, state, open } = wish;
  const item = items.get(id);
  const verb = wish.verb === 'upsert' ? (item === undefined ? 'create' : 'update') : wish.verb;
  switch (verb) {
    case 'create':
      if (item !== undefined || (state !== undefined && !STATES.some((known) => known === state))) return false;
      items.set(id, { state: state ?? initial, open: open ?? false, deleted: false });
      return true;
    case 'update': {
      if (item === undefined || item.deleted) return false;
      const after = { state: state ?? item.state, open: open ?? item.open };
      const isAllowed = ({ from, to, guarded }: Edge): boolean =>
        from === item.state && to === after.state && (!guarded || after.open);
      if (after.state !== item.state && !edges.some(isAllowed)) return false;
      Object.assign(item, after);
      return true;
    }
    case 'delete':
      if (item === undefined || item.deleted) return false;
      item.deleted = true;
      return true;
    case 'purge':
      return items.delete(id);
    case 'restore':
      if (item === undefined || !item.deleted) return false;
      item.deleted = false;
      return true;
  }
}

const rowOf = ({ id, state, open }: Wish): Record<string, unknown> => ({
  id,
  ...(state !== undefined && { state }),
  ...(open !== undefined && { open }),
});

type Way = 'rest' | 'envelope' | 'graphql' | 'bulk';

/** Sends wishes by a way; each way takes what it can say. Whether they were done. */
async function send(tenant: DataTenant, way: Way, wishes: readonly Wish[]): Promise<boolean> {
  if (way === 'envelope') {
    const operations = wishes.map((wish) => ({
      action: wish.verb === 'purge' ? 'delete' : wish.verb,
      data: { item: wish.verb === 'purge' ? { id: wish.id, purge: true } : rowOf(wish) },
    }));
    return (await tenant.send('POST', '/data/rest', { operations })).status === 200;
  }
  if (way === 'graphql') {
    const query = `mutation { ${wishes.map((wish, i) => `w${i}: ${mutationOf(wish)}`).join(' ')} }`;
    const { body } = await ask(tenant, query);
    expect('data' in body).toBe(true);
    return body.errors === undefined;
  }
  const [wish] = wishes as [Wish];
  if (way === 'bulk') return (await tenant.send('POST', '/data/bulk?entity=item', [rowOf(wish)])).body.imported === 1;
  const path = `/data/rest/item/id/${wish.id}`;
  const { id: _, ...fields } = rowOf(wish);
  const answer = await {
    create: () => tenant.send('POST', '/data/rest/item', rowOf(wish)),
    update: () => tenant.send('PATCH', path, fields),
    upsert: () => tenant.send('PUT', '/data/rest/item', rowOf(wish)),
    delete: () => tenant.send('DELETE', path),
    purge: () => tenant.send('DELETE', `${path}?purge=true`),
    restore: () => tenant.send('POST', `${path}/restore`),
  }[wish.verb]();
  return answer.status < 300;
}

function mutationOf({ verb, id, ...rest }: Wish): string {
  const { id: _, ...fields } = rowOf({ verb, id, ...rest });
  const data = Object.entries({ ...(verb === 'create' && { id }), ...fields });
  const text = `{${data.map(([key, value]) => `${key}: ${JSON.stringify(value)}`).join(', ')}}`;
  if (verb === 'create') return `create_item(data: ${text}) { id }`;
  if (verb === 'update') return `update_item(id: "${id}", data: ${text}) { id }`;
  if (verb === 'restore') return `restore_item(id: "${id}") { id }`;
  return `delete_item(id: "${id}", purge: ${verb === 'purge'}) { id }`;
}

/** A wish as the way can say it: REST has no upsert, bulk only creates, GraphQL has no upsert. */
function sayable(way: Way, wish: Wish): Wish {
  if (way === 'bulk') return { ...wish, verb: 'create' };
  return wish.verb === 'upsert' && way !== 'envelope' ? { ...wish, verb: 'update' } : wish;
}

async function shownItems(tenant: DataTenant): Promise<Items> {
  const { body } = await tenant.send('GET', '/data/rest/item?deleted=true&limit=100&states=true');
  const rows = body.data as readonly { id: string; state: string; open: boolean; deleted_at: string | null }[];
  return new Map(rows.map(({ id, state, open, deleted_at: at }) => [id, { state, open, deleted: at !== null }]));
}

const wish = fc.record<Wish>({
  verb: fc.constantFrom('create', 'update', 'update', 'update', 'upsert', 'delete', 'purge', 'restore'),
  id: fc.constantFrom('x', 'y'),
  state: fc.option(fc.constantFrom(...VALUES), { nil: undefined }),
  open: fc.option(fc.boolean(), { nil: undefined }),
});
const edge = fc.record<Edge>({
  from: fc.constantFrom(...STATES),
  to: fc.constantFrom(...STATES),
  guarded: fc.boolean(),
});
const request = fc.record({
  way: fc.constantFrom<Way>('rest', 'envelope', 'graphql', 'bulk'),
  wishes: fc.array(wish, { minLength: 1, maxLength: 4 }),
});

test(`every way does what the machine allows, and nothing else (seed ${seed})`, async () => {
  const run = async (edges: readonly Edge[], initial: string, requests: readonly { way: Way; wishes: Wish[] }[]) => {
    const tenant = await DataTenant.open(productWith(edges, initial));
    let items: Items = new Map();
    for (const { way, wishes } of requests) {
      const said = (way === 'rest' || way === 'bulk' ? wishes.slice(0, 1) : wishes).map((one) => sayable(way, one));
      const after: Items = new Map([...items].map(([id, item]) => [id, { ...item }]));
      const isAllowed = said.every((one) => apply(after, edges, initial, one));
      expect([way, said, await send(tenant, way, said)]).toEqual([way, said, isAllowed]);
      if (isAllowed) items = after;
      expect(await shownItems(tenant)).toEqual(items);
    }
  };
  await fc.assert(
    fc.asyncProperty(
      fc.array(edge, { maxLength: 8 }),
      fc.constantFrom(...STATES),
      fc.array(request, { minLength: 1, maxLength: 12 }),
      run,
    ),
    { seed, numRuns: 150 },
  );
});
