/** Bodies of exports and erasures. Spec: docs/contract/privacy.md. */
import { z } from 'zod';
import { textShape } from '#actors/protocol/shape.ts';

export const exportReply = textShape('application/x-ndjson', {
  description: 'One JSON object a line: what the node holds of the person. The last line has `"kind":"end"`.',
});

const counts = z.object({ deleted: z.int(), anonymized: z.int(), kept: z.int(), blocked: z.int() });

export const erasureReply = z.object({
  id: z.string(),
  user: z.string(),
  by: z.string(),
  state: z.enum(['open', 'done']),
  began_at: z.string(),
  ended_at: z.string().nullable(),
  /** Rows of data, by entity. */
  rows: z.record(z.string(), counts),
  /** Personal lines beside the audit log; null until then, and where nothing is recorded. */
  audit_lines: z.int().nullable(),
});

export type ErasureView = z.output<typeof erasureReply>;

export const erasuresReply = z.object({ erasures: z.array(erasureReply) });
