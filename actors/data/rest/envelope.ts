/** The response envelope of entity REST (data.md "Response envelope"). */
import { versionOf } from '../entity/codec.ts';
import type { Row, Slots } from '../entity/codec.ts';
import type { EntityModel } from '../entity/model.ts';
import type { Parameters } from '../entity/parameters.ts';

export interface Stats {
  readonly sql: string;
  readonly duration_ms: number;
  readonly total_count: number;
  readonly include_sql: readonly string[];
  readonly rows_affected: number;
  readonly plan?: object;
}

export interface Envelope {
  data: Row[];
  count: number;
  total?: number;
  stats?: Stats;
  meta?: object;
  allowed_actions?: readonly string[];
}

/** What an entity without rules lists (data.md `allowed_actions`). */
const ACTIONS_UNRULED = ['create', 'read', 'update', 'delete'];

/** Rows in their envelope, with the blocks that the flags ask for. `stats` is called only when it is wanted. */
export function envelopeOf(
  model: EntityModel,
  data: Row[],
  total: number | null,
  parameters: Parameters,
  stats: () => Stats,
): Envelope {
  const body: Envelope = { data, count: data.length };
  if (total !== null) body.total = total;
  if (parameters.flag('stats', 'sendstats')) body.stats = stats();
  if (parameters.flag('meta', 'sendmeta')) body.meta = metaOf(model);
  if (parameters.flag('allowedactions', 'sendallowedactions')) body.allowed_actions = allowedActions(model);
  return body;
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

/** The headers of a single-row reply: its version as a strong ETag (DESIGN §9). */
export function versionTag(slots: Slots): Record<string, string> {
  return { ETag: `"${versionOf(slots)}"` };
}
