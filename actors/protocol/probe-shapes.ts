/** Bodies of the probes that every service answers in the same words: whether it lives, and whether requests are taken. */
import { z } from 'zod';
import { textShape } from './shape.ts';

export const healthyShape = z.object({ healthy: z.literal(true), version: z.string() });

/** Text, unless JSON is asked for. */
export const readyShape = z.union([
  textShape('text/plain', { enum: ['ready:true'] }),
  z.object({ ready: z.literal(true) }),
]);
export const notReadyShape = z.union([
  textShape('text/plain', { enum: ['ready:false'] }),
  z.object({ ready: z.literal(false) }),
]);
