/** Bodies of the data service as OpenAPI shows them (docs/contract/data.md §2). */
import { z } from 'zod';
import { limits } from '#config/limits.ts';
import type { BodyOf } from '#actors/protocol/body.ts';
import { ANY_TYPE, bytesShape, textShape } from '#actors/protocol/shape.ts';
import { ACTIONS } from '#actors/engine/rows/action.ts';

export const row = z.record(z.string(), z.unknown()).describe('A row; its fields are declared per tenant.');

/** The body of a create. */
export const rowOrRows = z.union([row, z.array(row).min(1).describe('Many rows, all created or none.')]);

const stats = z.object({
  sql: z.string().describe('PostgreSQL statement that the request means.'),
  duration_ms: z.number(),
  total_count: z.number().int(),
  include_sql: z.array(z.string()),
  rows_affected: z.number().int(),
  plan: z.record(z.string(), z.unknown()).describe('How the rows were found.').optional(),
});

const meta = z.object({
  entity: z.string(),
  primary_key: z.string(),
  fields: z.array(z.object({ name: z.string(), type: z.string(), required: z.boolean(), nullable: z.boolean() })),
});

const cursor = z.string().nullable();

const page = z.object({
  has_next_page: z.boolean(),
  end_cursor: cursor.describe('What `after` takes to go on.'),
  has_previous_page: z.boolean().describe('With `before` only.').optional(),
  start_cursor: cursor.describe('With `before` only: what `before` takes to go on.').optional(),
});

export const search = z.object({
  filter: z
    .record(z.string(), z.unknown())
    .describe('Field to value, or field to operator to value; AND-ed.')
    .nullable()
    .optional(),
  query: z
    .string()
    .max(limits.search.queryCharsMax)
    .describe('Words that each row has: `word*` for a beginning, double quotes for a phrase; best rows first.')
    .optional(),
  highlight: z.boolean().describe('With `query`: whether `highlights` shows where the words stand.').optional(),
});

export const envelope = z.object({
  data: z.array(row),
  count: z.number().int().describe('Rows in this response.'),
  total: z.number().int().describe('Rows in all, where they are known.').optional(),
  stats: stats.optional(),
  meta: meta.optional(),
  states: z.array(z.record(z.string(), z.unknown())).describe('The stateflows of each row.').optional(),
  allowed_actions: z.array(z.string()).optional(),
  highlights: z
    .array(z.record(z.string(), z.array(z.string())))
    .describe('Of each row the fields with words that were found: texts that join to a piece, every second one found.')
    .optional(),
  page: page.optional(),
});

export type Envelope = BodyOf<typeof envelope>;

/** The bytes of a file, of the type that it was stored under. */
export const file = bytesShape(ANY_TYPE);
export const rowOrFile = z.union([envelope, file]);

export const signWish = z.object({
  field: z.string().describe('A file field of the row.'),
  expires_in: z.int().min(1).max(limits.signedUrl.lifeSecondsMax).describe('Seconds; an hour when absent.').optional(),
  disposition: z.enum(['inline', 'attachment']).describe('`attachment` when absent.').optional(),
});
export const signedUrl = z.object({ url: z.string().describe('Path and query.'), expires_at: z.string() });

const action = z.enum(ACTIONS);

export const operationsBody = z.object({
  operations: z.array(
    z.object({
      action: action.describe('By the verb when absent: POST create, PUT and PATCH update, DELETE delete.').optional(),
      data: z
        .record(z.string(), z.union([row, z.array(row)]))
        .describe(
          'One key, the entity; only a create takes an array. `{"$operation": n}` stands for the key that operation n wrote.',
        ),
    }),
  ),
});

export const operationsDone = z.object({
  operations: z.array(z.object({ action, entity: z.string(), data: z.array(row), affected_rows: z.number().int() })),
  stats: z
    .object({
      operations_run: z.number().int(),
      operations_ok: z.number().int(),
      operations_fail: z.number().int(),
    })
    .optional(),
});

export type OperationsDone = BodyOf<typeof operationsDone>;

export const actionParameters = z
  .record(z.string(), z.unknown())
  .describe('The parameters of the action by name; `_method` and `_format` are none.');

export const actionDone = z.object({
  total: z.number().int().describe('Rows affected; of a statement that reads, rows given.'),
  data: z.array(row).describe('Where the statement gives rows.').optional(),
  count: z.number().int().optional(),
});

export type ActionDone = BodyOf<typeof actionDone>;

export const scripted = z.unknown().describe('What the script answers.');

export const health = z.object({
  healthy: z.boolean(),
  memstats: z.record(z.string(), z.number()).describe('MiB.'),
  NumGC: z.number().int(),
  dependencies: z.record(z.string(), z.object({ State: z.boolean(), Message: z.string() })),
  version: z.literal(''),
  uptime_seconds: z.number(),
});

export const ready = textShape('text/plain', { enum: ['ready:true', 'ready:false'] });

const entityLine = z.object({
  name: z.string(),
  primary_key: z.string(),
  traits: z.array(z.string()),
  operations: z.array(z.string()).describe('What may ever be allowed to the caller.'),
});

const describedField = z.looseObject({
  name: z.string(),
  type: z.string(),
  required: z.boolean(),
  nullable: z.boolean(),
  read_only: z.boolean().describe('Kept by the service, or computed where it is selected.'),
});

const relation = z.object({
  name: z.string(),
  kind: z.enum(['one', 'many']),
  entity: z.string(),
  field: z.string().describe('The reference field that makes the relation.'),
});

export type EntityLine = BodyOf<typeof entityLine>;
export type DescribedField = BodyOf<typeof describedField>;

export const entityDocument = entityLine.extend({
  changes: z
    .literal(true)
    .describe('Changes of its rows are kept for subscribers; left out where they are not.')
    .optional(),
  fields: z.array(describedField),
  relations: z.array(relation),
  unique: z.array(z.array(z.string())),
  index: z.array(z.array(z.string())),
});

export type EntityDocument = BodyOf<typeof entityDocument>;

export const entityList = z.object({ entities: z.array(entityLine), count: z.number().int() });

export const schemaDocument = z.object({
  product: z.string(),
  entities: z.array(entityDocument),
  count: z.number().int(),
});

export const document = z.record(z.string(), z.unknown()).describe('A document in a format of its own.');

export const sdl = textShape('text/plain', { description: 'The schema definition language of GraphQL.' });

export const graphqlRequest = z.object({
  query: z.string(),
  operationName: z.string().nullish(),
  variables: z.record(z.string(), z.unknown()).nullish(),
  extensions: z.record(z.string(), z.unknown()).nullish(),
});

const graphqlError = z.object({
  message: z.string(),
  locations: z.array(z.object({ line: z.number().int(), column: z.number().int() })).optional(),
  path: z.array(z.union([z.string(), z.number().int()])).optional(),
  extensions: z.looseObject({ code: z.string(), status: z.number().int().optional() }),
});

export type GraphqlError = BodyOf<typeof graphqlError>;

export const graphqlAnswer = z.object({
  data: z.record(z.string(), z.unknown()).nullish(),
  errors: z.array(graphqlError).optional(),
});

export const graphqlAnswered = z.union([graphqlAnswer, textShape('text/event-stream')]);

export type GraphqlAnswer = BodyOf<typeof graphqlAnswer>;

const machineEvent = z.object({
  name: z.string(),
  target: z.string().describe('The value that a caller writes to fire the event.'),
  has_guard: z.literal(true).optional(),
  has_actions: z.literal(true).optional(),
});

const machineState = z.object({
  name: z.string(),
  type: z.literal('final').optional(),
  events: z.record(z.string(), machineEvent).optional(),
});

export const stateflowMachine = z.object({
  name: z.string(),
  field: z.string().describe('The field of an entity that it governs.'),
  initial_state: z.string().describe('What a create gives where the field is omitted.'),
  states: z.record(z.string(), machineState),
});

export const stateflowList = z.object({ stateflows: z.array(stateflowMachine), count: z.number().int() });

export const cacheCleared = z.object({ cleared: z.literal(true), tenant: z.string().describe('The tenant key.') });

const contentStore = z.looseObject({ name: z.string(), type: z.string(), active: z.boolean() });
export type ShownContentStore = BodyOf<typeof contentStore>;

export const contentStoreMap = z.record(z.string(), contentStore).describe('Declared content stores by name.');

export const importData = z.array(row).describe('Rows as a JSON array; with `format=csv` or `format=jsonl` as text.');

export const imported = z.object({
  imported: z.number().int().describe('Rows that were written.'),
  skipped: z.number().int().describe('Rows that were passed over.'),
  errors: z.array(
    z.object({
      row: z.number().int().describe('The row among all of the data, from 1.'),
      line: z.number().int().describe('The line where the row begins, from 1.'),
      error: z.string(),
      code: z.string(),
      details: z.record(z.string(), z.unknown()).optional(),
    }),
  ),
  errors_omitted: z.number().int().optional(),
  dry_run: z.literal(true).optional(),
});

export type ImportDone = BodyOf<typeof imported>;

const exportedRows = z.array(row).describe('Rows; with `format=csv` or `format=jsonl` as text.');
export type Exported = BodyOf<typeof exportedRows>;
const change = z.object({
  seq: z.number().int().describe('Its number: a position behind it.'),
  op: z.enum(['create', 'update', 'restore', 'gone']).describe('`gone`: the caller sees the row no more.'),
  entity: z.string(),
  id: z.unknown(),
  version: z.number().int().describe('The version of the row after the change.'),
  tx: z.number().int().describe('The same for all changes of one commit.'),
  row: row.nullable().describe('The row as it is now; null where the caller does not see it now.'),
});

const changesJson = z.object({
  entity: z.string(),
  rows: z.array(row).describe('With `snapshot=true`: the rows as they were before these changes.').optional(),
  changes: z.array(change),
  after: z.number().int().describe('The position to go on from.'),
  more: z.boolean().describe('Whether further changes are there already.'),
});

export type ChangesPage = BodyOf<typeof changesJson>;
export const changesPage = z.union([changesJson, textShape('text/event-stream')]);

export const changesTicket = z.object({
  ticket: z.string().describe('Counts once, as `GET /data/changes?ticket=…`.'),
  expires_in: z.number().int().describe('Seconds.'),
});

export const exported = z.union([exportedRows, textShape('text/csv'), textShape('application/x-ndjson')]);
