/** Where the boxes of a schema stand, and how the lines between them run: laid out by dagre. Pure. */
import { Graph, layout } from '@dagrejs/dagre';
import type { EntityDoc, Field } from '../data/shapes.ts';

export const BOX_PX = 220;
export const HEAD_PX = 30;
export const LINE_PX = 20;
/** More fields than these are counted; the page of the entity has them all. */
const FIELDS_MAX = 10;
const MARGIN_PX = 20;

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

export function drawingOf(entities: readonly EntityDoc[]): Drawing {
  const graph = new Graph({ multigraph: true });
  graph.setGraph({ rankdir: 'LR', nodesep: 24, ranksep: 70, marginx: MARGIN_PX, marginy: MARGIN_PX });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const entity of entities) graph.setNode(entity.name, { width: BOX_PX, height: heightOf(entity) });
  const references = referencesIn(entities);
  for (const { from, field, to } of references) if (from !== to) graph.setEdge(from, to, {}, field);
  layout(graph);
  const boxes = entities.map((entity) => boxOf(entity, graph.node(entity.name) as Placed));
  const places = new Map(boxes.map((box) => [box.entity.name, box]));
  const { width = 0, height = 0 } = graph.graph() as { width?: number; height?: number };
  return {
    width: Math.max(width, BOX_PX + 2 * MARGIN_PX),
    height: Math.max(height, HEAD_PX + 2 * MARGIN_PX),
    boxes,
    lines: references.map((one) => ({ ...one, path: pathOf(places.get(one.from)!, one.field, places.get(one.to)!) })),
  };
}

/** References first: they are what lines begin at. */
function shownOf({ fields }: EntityDoc): readonly Field[] {
  const isReference = ({ ref }: Field): boolean => ref !== undefined;
  return [...fields.filter(isReference), ...fields.filter((field) => !isReference(field))].slice(0, FIELDS_MAX);
}

function heightOf(entity: EntityDoc): number {
  const shown = shownOf(entity).length;
  return HEAD_PX + (shown + (entity.fields.length > shown ? 1 : 0)) * LINE_PX + 8;
}

export function referencesIn(entities: readonly EntityDoc[]): Omit<Line, 'path'>[] {
  const names = new Set(entities.map(({ name }) => name));
  return entities.flatMap(({ name, fields }) =>
    fields.flatMap(({ name: field, ref }) =>
      ref !== undefined && names.has(ref.entity) ? [{ from: name, field, to: ref.entity }] : [],
    ),
  );
}

interface Placed {
  readonly x: number;
  readonly y: number;
}

function boxOf(entity: EntityDoc, { x, y }: Placed): Box {
  const fields = shownOf(entity);
  const height = heightOf(entity);
  return { entity, fields, more: entity.fields.length - fields.length, x: x - BOX_PX / 2, y: y - height / 2, height };
}

/** A curve from the field to the head of the other box, out of the side that is nearer. */
function pathOf(from: Box, field: string, to: Box): string {
  const at = from.fields.findIndex(({ name }) => name === field);
  const line = at < 0 ? from.fields.length : at;
  const startY = from.y + HEAD_PX + (line + 0.5) * LINE_PX;
  const endY = to.y + HEAD_PX / 2;
  if (from === to) {
    const x = from.x + BOX_PX;
    return `M${x} ${startY} C${x + 40} ${startY} ${x + 40} ${endY} ${x} ${endY}`;
  }
  const isRight = to.x >= from.x;
  const startX = isRight ? from.x + BOX_PX : from.x;
  const endX = isRight ? to.x : to.x + BOX_PX;
  const bend = Math.max(30, Math.abs(endX - startX) / 2) * (isRight ? 1 : -1);
  return `M${startX} ${startY} C${startX + bend} ${startY} ${endX - bend} ${endY} ${endX} ${endY}`;
}
