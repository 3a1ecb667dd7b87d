/** Where the boxes of a schema stand, and how the lines between them run: laid out by dagre. Two hundred entities take a second or more, so it runs apart (layout.worker.ts). Pure. */
import { Graph, layout } from '@dagrejs/dagre';
import type { EntityDoc } from '../data/shapes.ts';
import { BOX_PX, HEAD_PX, heightOf, LINE_PX, MARGIN_PX, referencesIn, shownOf } from './boxes.ts';
import type { Box, Drawing } from './boxes.ts';

const GAP_PX = 24;
const RANKS_PX = 70;
/** Of the entities without a reference, which stand below the others. */
const COLUMNS = 5;

export function drawingOf(entities: readonly EntityDoc[]): Drawing {
  const references = referencesIn(entities);
  const linked = new Set(references.flatMap(({ from, to }) => [from, to]));
  const { boxes: above, width, height } = linkedBoxes(entities.filter(({ name }) => linked.has(name)));
  const alone = aloneBoxes(
    entities.filter(({ name }) => !linked.has(name)),
    height,
  );
  const boxes = [...above, ...alone];
  const places = new Map(boxes.map((box) => [box.entity.name, box]));
  return {
    width: Math.max(width, ...alone.map(({ x }) => x + BOX_PX + MARGIN_PX)),
    height: Math.max(height, ...alone.map((box) => box.y + box.height + MARGIN_PX)),
    boxes,
    lines: references.map((one) => ({ ...one, path: pathOf(places.get(one.from)!, one.field, places.get(one.to)!) })),
  };
}

interface Part {
  readonly boxes: readonly Box[];
  readonly width: number;
  readonly height: number;
}

function linkedBoxes(entities: readonly EntityDoc[]): Part {
  if (entities.length === 0) return { boxes: [], width: 0, height: 0 };
  const graph = new Graph({ multigraph: true });
  const margins = { marginx: MARGIN_PX, marginy: MARGIN_PX };
  graph.setGraph({ rankdir: 'LR', nodesep: GAP_PX, ranksep: RANKS_PX, ranker: 'tight-tree', ...margins });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const entity of entities) graph.setNode(entity.name, { width: BOX_PX, height: heightOf(entity) });
  for (const { from, field, to } of referencesIn(entities)) if (from !== to) graph.setEdge(from, to, {}, field);
  layout(graph);
  const { width = 0, height = 0 } = graph.graph() as { width?: number; height?: number };
  return { boxes: entities.map((entity) => boxOf(entity, graph.node(entity.name) as Placed)), width, height };
}

/** In rows, each as high as its highest box. */
function aloneBoxes(entities: readonly EntityDoc[], below: number): readonly Box[] {
  const boxes: Box[] = [];
  let top = Math.max(below, MARGIN_PX);
  for (let at = 0; at < entities.length; at += COLUMNS) {
    const row = entities.slice(at, at + COLUMNS);
    for (const [column, entity] of row.entries()) {
      const x = MARGIN_PX + column * (BOX_PX + GAP_PX) + BOX_PX / 2;
      boxes.push(boxOf(entity, { x, y: top + heightOf(entity) / 2 }));
    }
    top += Math.max(...row.map(heightOf)) + GAP_PX;
  }
  return boxes;
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
