/** Extends the stored schema to a product's definitions by additions alone. `tenant provision` calls it, serving never does. */
import { setTimeout } from 'node:timers/promises';
import type { ProductDefinition } from '#config/definitions/product.ts';
import { limits } from '#config/limits.ts';
import { settled } from './alter.ts';
import { buildIndex, buildText } from './build-index.ts';
import { diffSchema, type SchemaDiff } from './diff.ts';
import { extendSchema } from './extend.ts';
import { isFull, loadSchema, saveSchema, type Store, type Turn } from './store.ts';
import type { StoredEntity, StoredIndex, StoredSchema, StoredText } from './stored.ts';

/**
 * Creates or extends the schema, and waits until that is durable. No request may be served meanwhile.
 * Gives the steps that were taken and the conflicts that need a plan. Throws DefinitionError, and DuplicateValues when a new
 * unique index finds rows that collide: the schema is then as it was.
 */
export async function provisionSchema(store: Store, product: ProductDefinition): Promise<SchemaDiff> {
  const stored = storedIn(store);
  const diff = diffSchema(stored, product);
  if (diff.steps.length === 0 && stored.entities.length > 0) return diff;
  const next = extendSchema(stored, diff.steps, product);
  const commit = (fill: (turn: Turn) => void): Promise<void> => commitTurn(store, fill);
  for (const entity of next.entities) {
    if (!stored.entities.some((old) => old.name === entity.name)) continue;
    for (const index of newIndexes(stored, entity.name, entity.indexes)) await buildIndex(entity, index, commit);
    for (const text of newTexts(stored, entity)) await buildText(entity, text, commit);
  }
  await commit((turn) => saveSchema(turn, next));
  return diff;
}

/** The steps that provisioning would take now, and the conflicts. Throws DefinitionError. */
export function stepsToTake(store: Store, product: ProductDefinition): SchemaDiff {
  return diffSchema(storedIn(store), product);
}

function storedIn(store: Store): StoredSchema {
  const reading = store.begin();
  const stored = settled(loadSchema(reading));
  reading.abort();
  return stored;
}

function newIndexes(stored: StoredSchema, entity: string, indexes: readonly StoredIndex[]): StoredIndex[] {
  const old = stored.entities.find((other) => other.name === entity)!;
  return indexes.filter((index) => !old.indexes.some((other) => other.no === index.no));
}

function newTexts(stored: StoredSchema, { name, texts = [] }: StoredEntity): StoredText[] {
  const old = stored.entities.find((other) => other.name === name)!.texts ?? [];
  return texts.filter(({ no }) => !old.some((other) => other.no === no));
}

/** Commits one turn; durable when the promise settles. Waits while the store is full. */
async function commitTurn(store: Store, fill: (turn: Turn) => void): Promise<void> {
  for (;;) {
    const turn = store.begin();
    try {
      fill(turn);
      if (turn.dirty) turn.commit();
      return await new Promise((resolve) => store.whenDurable(turn.newest, resolve));
    } catch (error) {
      turn.abort();
      if (!isFull(error)) throw error;
    }
    await setTimeout(limits.data.fullPauseMs);
  }
}
