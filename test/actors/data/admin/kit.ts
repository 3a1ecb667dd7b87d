/** A tenant whose declarations a test changes, and plans over it. */
import { expect } from 'vitest';
import { limits } from '#config/limits.ts';
import { padderOf } from '#actors/engine/rows/codec.ts';
import { indexKey, tableRange } from '#actors/engine/rows/keys/store.ts';
import { indexModel } from '#actors/engine/rows/model.ts';
import { decodeSlots, type Turn } from '#actors/engine/rows/store.ts';
import { textIndexOf } from '#actors/engine/search/text-index.ts';
import { rowCount } from '#actors/engine/rows/count/store.ts';
import { dataService } from '#actors/data/service.ts';
import { loadSchema } from '#actors/engine/schema/store.ts';
import type { StoredEntity, StoredSchema } from '#actors/engine/schema/stored.ts';
import type { FieldDefinition, ProductDefinition } from '#config/definitions/product.ts';
import { DYNAMIC_TABLE_FIRST } from '#storage/catalogue.ts';
import { MemoryStore } from '#test/storage/memory.ts';
import { DataTenant, entityOf, productOf, SUPERADMIN, type Answer, type EntityOptions } from '#test/kit/data-call.ts';
import { expectText } from '#test/kit/text-check.ts';

export const text = { type: 'string' } as const;

/** A product with one entity, `thing`. */
export const thing = (
  fields: Readonly<Record<string, FieldDefinition>>,
  options: EntityOptions = {},
): ProductDefinition => productOf([entityOf('thing', fields, options)]);

export class World {
  product: ProductDefinition;
  readonly tenant: DataTenant;

  private constructor(product: ProductDefinition, tenant: DataTenant) {
    this.product = product;
    this.tenant = tenant;
  }

  /** A tenant that is provisioned for a product, or one that wakes over what a store holds. */
  static async open(product: ProductDefinition, store?: MemoryStore, { runs = true } = {}): Promise<World> {
    const held: { world?: World } = {};
    const definitions = {
      fresh: () => Promise.resolve({ product: held.world!.product, revision: null }),
      kept: () => Promise.resolve({ problems: 'no revision is kept here' }),
      adopted: () => undefined,
    };
    const provision = store === undefined;
    const service = dataService({ definitions, runs: () => runs });
    const tenant = await DataTenant.open(product, { store: store ?? new MemoryStore(), service, provision });
    return (held.world = new World(product, tenant));
  }

  send(method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: unknown): Promise<Answer> {
    return this.tenant.send(method, `/data/${path}`, body, { principal: SUPERADMIN });
  }

  async make(row: object, entity = 'thing'): Promise<string> {
    const answer = await this.send('POST', `rest/${entity}`, row);
    expect(answer.status, JSON.stringify(answer.body)).toBe(201);
    return answer.body.data[0].id;
  }

  async plan(body: object = {}): Promise<Answer['body']> {
    const answer = await this.send('POST', 'admin/data/plans', body);
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    return answer.body;
  }

  apply(id: string, body: object = { confirm_max_risk: 'high' }): Promise<Answer> {
    return this.send('POST', `admin/data/plans/${id}/apply`, body);
  }

  /** Declares a product, plans and applies it. */
  async become(product: ProductDefinition, body: object = { allow_drops: true }): Promise<Answer> {
    this.product = product;
    const plan = await this.plan(body);
    expect(plan.refusals).toBeUndefined();
    return this.apply(plan.plan_id);
  }

  get stored(): StoredSchema {
    return loadSchema(this.tenant.store.begin());
  }

  async rows(query = '', entity = 'thing'): Promise<Record<string, unknown>[]> {
    return (await this.send('GET', `rest/${entity}?${query}`)).body.data;
  }
}

/** What a crash may leave never shows: every index holds its rows' entries and no others, and no table holds what no schema names. */
export function expectConsistent(world: World): void {
  const turn = world.tenant.store.begin();
  const schema = loadSchema(turn);
  const named = new Set<number>();
  for (const entity of schema.entities) {
    named.add(entity.table);
    const rows = rowsOf(turn, entity);
    expect(rowCount(turn, entity.table).live, entity.name).toBe(rows.length);
    for (const index of entity.indexes) {
      named.add(index.no);
      const keys = rows.map(({ slots, id }) => indexKey(indexModel(index, entity), slots, id));
      const { from, to } = tableRange(index.no);
      const present = [...turn.range(from, to)].map(({ key }) => key);
      expect(present, `${entity.name} (${index.fields.join(', ')})`).toEqual(keys.toSorted());
    }
    for (const text of entity.texts ?? []) {
      named.add(text.no);
      expectText(turn, textIndexOf(text, entity), rows);
    }
  }
  const [first, last] = [tableRange(DYNAMIC_TABLE_FIRST).from, tableRange(limits.data.tableNoMax).to];
  for (const { key } of turn.range(first, last)) expect(named).toContain(key.charCodeAt(0) * 256 + key.charCodeAt(1));
  turn.abort();
}

function rowsOf(turn: Turn, entity: StoredEntity) {
  const { from, to } = tableRange(entity.table);
  const pad = padderOf(entity.fields);
  return [...turn.range(from, to)].map(({ key, value }) => ({
    slots: pad(decodeSlots(value)),
    id: key.slice(from.length),
  }));
}

/** A store that dies at its nth commit, and lives on with what it holds when it is revived. */
export class MortalStore extends MemoryStore {
  commits = 0;
  diesAt = Infinity;

  override join(touched: ReadonlyMap<string, Uint8Array | null>): number {
    if (++this.commits >= this.diesAt) throw new Error('the process is dead');
    return super.join(touched);
  }
}
