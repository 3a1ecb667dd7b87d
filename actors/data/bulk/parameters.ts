/** Parameters of bulk import and export (docs/contract/data.md §7.1). Keys are matched in any case; the first value counts. */
import { limits } from '#config/limits.ts';
import type { Call } from '#actors/host/call.ts';
import { shown } from '#actors/kit/shown.ts';
import type { Refusal } from '#actors/protocol/refusal.ts';
import type { EntityModel } from '#actors/engine/rows/model.ts';
import { checkDatastore, failure, noEntity, type Failure } from '#actors/engine/rows/failure.ts';
import { refuse } from '../refusals.ts';
import { entityNotFound, failed } from '../rest/failed.ts';
import { sessionOf } from '../rest/session.ts';
import { formatOf, type Format } from './format.ts';

const WHOLE = /^\d{1,15}$/;

export class BulkParameters {
  readonly #values = new Map<string, string[]>();

  constructor(search: URLSearchParams) {
    for (const [key, value] of search) {
      const name = key.toLowerCase();
      const values = this.#values.get(name);
      if (values === undefined) this.#values.set(name, [value]);
      else values.push(value);
    }
  }

  first(...spellings: readonly string[]): string | null {
    for (const name of spellings) {
      const value = this.#values.get(name)?.[0];
      if (value !== undefined && value !== '') return value;
    }
    return null;
  }

  all(name: string): readonly string[] {
    return this.#values.get(name) ?? [];
  }

  flag(...spellings: readonly string[]): boolean {
    return this.first(...spellings)?.toLowerCase() === 'true';
  }

  /** A positive whole number; null for anything else. */
  #count(name: string): number | null {
    const text = this.first(name);
    const value = text !== null && WHOLE.test(text) ? Number(text) : 0;
    return value > 0 ? value : null;
  }

  /** The limit of an export, which may be 0; null where the caller names none, a failure for what is no number, as on a list. */
  get limit(): number | null | Failure {
    const text = this.first('limit');
    if (text === null) return null;
    if (!WHOLE.test(text)) return failure(422, 'limit must be a whole number', { parameter: 'limit' });
    return Number(text);
  }

  /** Whether CSV keeps spreadsheets from running text: an export adds the apostrophe, an import takes it away. */
  get escapesFormulas(): boolean {
    return this.first('escapeformulas')?.toLowerCase() !== 'false';
  }

  /** Rows of a chunk, up to the bound. */
  get chunkRows(): number {
    return Math.min(this.#count('chunk') ?? limits.data.importChunkRows, limits.data.importChunkRowsMax);
  }
}

export interface BulkTarget {
  readonly parameters: BulkParameters;
  readonly model: EntityModel;
  readonly format: Format;
}

/** What import and export need first: the entity, the format, the datastore. */
export function targetOf(
  call: Call,
): BulkTarget | Refusal<'v2.missing_entity' | 'v2.bad_format' | 'v2.entity_not_found' | 'v2.query_failed'> {
  const parameters = new BulkParameters(call.query);
  const entity = parameters.first('entity');
  if (entity === null) return refuse('v2.missing_entity');
  const format = formatOf(parameters.first('format'));
  if (format === undefined) return refuse('v2.bad_format', { details: { format: shown(parameters.first('format')) } });
  const model = sessionOf(call).model(entity);
  if (model === undefined) return entityNotFound(noEntity(entity));
  const elsewhere = checkDatastore(parameters.first('datastore'));
  if (elsewhere !== null) return failed('v2.query_failed', elsewhere);
  return { parameters, model, format };
}
