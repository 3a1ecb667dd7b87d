/** Bodies of the BFF (docs/contract/bff.md §2). */
import { z } from 'zod';

const call = z.object({
  name: z.string(),
  /** A service of this node, or `outside`. */
  to: z.string(),
  method: z.string(),
  stage: z.int(),
  needs: z.array(z.string()),
  on_error: z.enum(['fatal', 'null', 'default', 'stale']),
  timeout_ms: z.number(),
  retries: z.int(),
  cache_ms: z.number(),
});

const endpoint = z.object({
  name: z.string(),
  method: z.string(),
  path: z.string(),
  auth: z.enum(['public', 'user', 'service']),
  cache_ms: z.number(),
  /** For callers with a credential. */
  calls: z.array(call).optional(),
});

export const inventory = z.object({ endpoints: z.array(endpoint), count: z.int() });
/** The result of the endpoint's response; without one `{data: {<call>: …}}`, with `meta.degraded[]` when calls failed. */
export const composed = z.unknown();
