/** What a drawing of a schema is made of: boxes with some fields of their entities, and a line for each reference and link. Pure. */
import type { EntityDoc, Field } from '../data/shapes.ts';

export const BOX_PX = 220;
export const HEAD_PX = 30;
export const LINE_PX = 20;
/** More fields than these are counted; the page of the entity has them all. */
const FIELDS_MAX = 10;
export const MARGIN_PX = 20;

export interface Box {
  readonly entity: EntityDoc;
  readonly fields: readonly Field[];
  /** Fields that are not shown. */
  readonly more: number;
  /** Of its upper left corner. */
  readonly x: number;
  readonly y: number;
  readonly height: number;
}

export interface Line {
  readonly from: string;
  readonly field: string;
  readonly to: string;
  readonly path: string;
}

export interface Drawing {
  readonly width: number;
  readonly height: number;
  readonly boxes: readonly Box[];
  readonly lines: readonly Line[];
}

/** References first: they are what lines begin at. */
export function shownOf({ fields }: EntityDoc): readonly Field[] {
  const isReference = ({ ref }: Field): boolean => ref !== undefined;
  return [...fields.filter(isReference), ...fields.filter((field) => !isReference(field))].slice(0, FIELDS_MAX);
}

export function heightOf(entity: EntityDoc): number {
  const shown = shownOf(entity).length;
  return HEAD_PX + (shown + (entity.fields.length > shown ? 1 : 0)) * LINE_PX + 8;
}

export function referencesIn(entities: readonly EntityDoc[]): Omit<Line, 'path'>[] {
  const names = new Set(entities.map(({ name }) => name));
  return entities.flatMap(({ name, fields, relations }) => [
    ...fields.flatMap(({ name: field, ref }) =>
      ref !== undefined && names.has(ref.entity) ? [{ from: name, field, to: ref.entity }] : [],
    ),
    // A link is drawn from the entity that declares it.
    ...relations.flatMap(({ name: link, kind, field, entity }) =>
      kind === 'many' && link === field && names.has(entity) ? [{ from: name, field, to: entity }] : [],
    ),
  ]);
}
