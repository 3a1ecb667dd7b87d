/** Query parameters of a tenant's lists and reads (docs/contract/data.md §5.1). */
import { Parameters } from '#actors/engine/rows/parameters.ts';
import type { EntityModel } from '#actors/engine/rows/model.ts';
import { writeSchema } from './field-schema.ts';

type Json = Readonly<Record<string, unknown>>;

const text = (name: string, description: string): Json => parameter(name, { type: 'string' }, description);
const count = (name: string, description: string): Json =>
  parameter(name, { type: 'integer', minimum: 0 }, description);
const flag = (name: string, description: string): Json => parameter(name, { type: 'boolean' }, description);

function parameter(name: string, schema: Json, description: string): Json {
  return { name, in: 'query', required: false, schema, description };
}

/** Keys of a form of their own: an object whose members are parameters by themselves (OpenAPI 3.1, Parameter Object: style `form`, exploded). */
function keyed(name: string, pattern: string, description: string): Json {
  const schema = { type: 'object', propertyNames: { pattern }, additionalProperties: { type: 'string' } };
  return { ...parameter(name, schema, description), style: 'form', explode: true };
}

/** `components.parameters`, by name. */
export const LIST_PARAMETERS: Readonly<Record<string, Json>> = {
  select: text('select', 'Comma-separated columns.'),
  orderby: text(
    'orderby',
    'Comma-separated columns, `[relation.column]` among them; `-column`, or a trailing `asc` or `desc`.',
  ),
  limit: count('limit', 'Most rows.'),
  offset: count('offset', 'Rows to pass over.'),
  page: count('page', 'From 1; needs a limit, and counts only without an offset.'),
  aggregate: text(
    '[aggregate]',
    'Comma-separated `count`, `count(column)`, `count_distinct(column)`, `sum(column)`, `min(column)`, `max(column)`, `avg(column)`: of all rows, or of each group. A column may be `[relation.column]`.',
  ),
  bucket: text(
    '[bucket]',
    'Comma-separated `hour(column)`, `day(column)`, `week(column)`, `month(column)`, `year(column)`: groups of rows. A column may be `[relation.column]`.',
  ),
  zone: text('[zone]', 'The IANA time zone of the buckets; UTC unless it is set.'),
  filter: text('filter', '`column=value`, for columns whose name is a parameter.'),
  include: text('include', 'Comma-separated relations; `depth` says how deep they may be nested.'),
  far: keyed(
    'far',
    '^\\[[^\\[\\]]+\\](\\[[a-z]+\\])?$',
    '`[relation.column]=value`, `[column/member]=value`, and with an operator behind it `[relation.column][gte]=value`: rows that lead to such a value. Of a relation of many rows one must have it; `[relation][some]=<JSON>`, `none` and `every` take a filter of them.',
  ),
  included: keyed(
    'included',
    '^\\[[^\\[\\]]+\\]\\[(filter|select|orderby|limit)\\]$',
    '`[relation][limit]=3`: which rows of an include, in which order and with which columns, for each row.',
  ),
  expression: text(
    'expression',
    'A jq program over the answer; what it gives is the body, in place of the envelope: any JSON.',
  ),
  deleted: flag('deleted', 'Soft-deleted rows too.'),
  stats: flag('stats', 'Adds `stats`.'),
  meta: flag('meta', 'Adds `meta`.'),
  allowedactions: flag('allowedactions', 'Adds `allowed_actions`.'),
};

/** Every column that can be compared is a parameter by its own name, unless the service has a parameter of that name. */
export function filterParameters(model: EntityModel): Json[] {
  return model.columns
    .filter(({ name, compare }) => compare !== null && isPredicate(name))
    .map((column) => parameter(column.name, writeSchema(model, column), `Rows whose ${column.name} equals the value.`));
}

function isPredicate(name: string): boolean {
  return new Parameters(new URLSearchParams([[name, '1']])).predicates.length > 0;
}
