/** Puts together what main shows of the node (topic `node.ask`). The caller was judged before; nothing here changes anything. */
import { limits } from '#config/limits.ts';
import type { NodeViews } from '#runtime/node-asks.ts';
import type { NodeParts } from '#runtime/node-parts.ts';
import { healthOf } from './health.ts';

export function nodeViews(parts: NodeParts): NodeViews {
  return {
    'node.health': () => healthOf(parts, limits.nodeView.degradedMax),
  };
}
