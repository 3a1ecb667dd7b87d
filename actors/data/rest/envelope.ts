/** The response envelope of entity REST (docs/contract/data.md §2.1). */
import { renderedAs, type Rendered } from '#actors/protocol/body.ts';
import { versionOf, type Slots } from '#actors/engine/rows/codec.ts';
import type { EntityModel } from '#actors/engine/rows/model.ts';
import type { Parameters } from '#actors/engine/rows/parameters.ts';
import type { Envelope } from '../shapes.ts';

export interface Stats {
  readonly sql: string;
  readonly duration_ms: number;
  readonly total_count: number;
  readonly include_sql: readonly string[];
  readonly rows_affected: number;
  readonly plan?: object;
}

/** What an entity without rules lists (docs/contract/data.md §2.1 `allowed_actions`). */
const ACTIONS_UNRULED = ['create', 'read', 'update', 'delete'];

/** Rows, each as JSON text, in their envelope with the wanted blocks. `stats` and `states` are called only when wanted; `more` is members as text. */
export function renderEnvelope(
  model: EntityModel,
  rows: readonly string[],
  total: number | null,
  parameters: Parameters,
  stats: () => Stats,
  states: () => readonly string[],
  more = '',
): Rendered<Envelope> {
  let text = `{"data":[${rows.join(',')}],"count":${rows.length}`;
  if (total !== null) text += `,"total":${total}`;
  if (!parameters.none) text += blocks(model, parameters, stats, states);
  return renderedAs(`${text}${more}}`);
}

function blocks(
  model: EntityModel,
  parameters: Parameters,
  stats: () => Stats,
  states: () => readonly string[],
): string {
  let text = '';
  if (parameters.flag('stats', 'sendstats')) text += `,"stats":${JSON.stringify(stats())}`;
  if (parameters.flag('meta', 'sendmeta')) text += `,"meta":${JSON.stringify(metaOf(model))}`;
  if (asksStates(parameters)) text += `,"states":[${states().join(',')}]`;
  if (parameters.flag('allowedactions', 'sendallowedactions'))
    text += `,"allowed_actions":${JSON.stringify(allowedActions(model))}`;
  return text;
}

/** Whether the states of each row are wanted. */
export function asksStates(parameters: Parameters): boolean {
  return parameters.flag('states', 'sendstates');
}

function metaOf(model: EntityModel): object {
  const fields = model.columns.map(({ name, shownType, required, nullable }) => ({
    name,
    type: shownType,
    required,
    nullable,
  }));
  return { entity: model.name, primary_key: model.key.name, fields };
}

function allowedActions(model: EntityModel): readonly string[] {
  return model.rules.size === 0 ? ACTIONS_UNRULED : [...model.rules.keys()];
}

/** The headers of a single-row reply: its version as a strong ETag (docs/contract/common.md §4.2). */
export function versionTag(slots: Slots): Record<string, string> {
  return { ETag: `"${versionOf(slots)}"` };
}
