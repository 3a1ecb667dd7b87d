/** A value in the grid, by its type. Every value is text to the page, whatever it says. */
import { Link as RouterLink } from '@tanstack/react-router';
import { labelField, type EntityDoc, type Field, type Row, type Schema } from './shapes.ts';
import { entityPath } from './paths.ts';
import { textOf } from './value.ts';
import type { Step } from './view.ts';
import type { Words } from '../words/en.ts';

export interface CellContext {
  readonly placeKey: string;
  readonly schema: Schema;
  readonly entity: EntityDoc;
  readonly words: Words['data'];
  readonly moment: (text: string) => string;
  /** In the sheet: the address that shows another row in it. */
  readonly follow?: (to: Step) => Link;
}

/** Where a link leads. */
export interface Link {
  readonly to: string;
  readonly search: object;
}

/** The row in the sheet where there is one, else at its own entity. */
export const linkTo = ({ placeKey, follow }: CellContext, entity: string, id: string): Link =>
  follow?.({ entity, id }) ?? { to: entityPath(placeKey, entity), search: { row: id } };

export function Cell({
  row,
  field,
  context,
}: {
  readonly row: Row;
  readonly field: Field;
  readonly context: CellContext;
}) {
  const value = row[field.name];
  if (value === null || value === undefined) return <span className="nothing">{value === null ? '–' : ''}</span>;
  if (field.ref !== undefined) return <Reference row={row} field={field} target={field.ref.entity} context={context} />;
  if (field.type === 'enum') return <span className="badge">{textOf(value)}</span>;
  if (field.type === 'boolean') return value === true ? context.words.yes : context.words.no;
  if (field.type === 'datetime' && typeof value === 'string')
    return <span title={value}>{isMoment(value) ? context.moment(value) : value}</span>;
  if (field.type === 'file' && typeof value === 'object' && 'name' in value) return textOf(value.name);
  if (['ulid', 'uuid', 'json', 'file'].includes(field.type)) return <span className="mono-line">{textOf(value)}</span>;
  return textOf(value);
}

const isMoment = (text: string): boolean => !Number.isNaN(Date.parse(text));

/** The label of the row that a reference names, where it came along; a click opens that row. */
function Reference({
  row,
  field,
  target,
  context: { placeKey, schema, entity },
}: {
  readonly row: Row;
  readonly field: Field;
  readonly target: string;
  readonly context: CellContext;
}) {
  const id = textOf(row[field.name]);
  return (
    <RouterLink
      to={entityPath(placeKey, target)}
      search={{ row: id } as never}
      className="reference"
      tabIndex={-1}
      title={id}
    >
      {referenceLabel(schema, entity, field, row) ?? id}
    </RouterLink>
  );
}

/** Null where the referenced row did not come along, as for callers who may not see it. */
export function referenceLabel(schema: Schema, entity: EntityDoc, field: Field, row: Row): string | null {
  const relation = entity.relations.find(({ kind, field: name }) => kind === 'one' && name === field.name);
  const target = schema.entities.find(({ name }) => name === relation?.entity);
  const other = relation === undefined ? null : (row[relation.name] as Row | null | undefined);
  if (target === undefined || other === null || other === undefined) return null;
  const label = textOf(other[labelField(target)]);
  return label === '' ? null : label;
}
