/** Bounds of what the node shows of itself to its own operators (docs/contract/node.md). */
export const nodeViewLimits = {
  /** Degraded things of one answer, oldest first; further ones are counted. */
  degradedMax: 100,
} as const;
