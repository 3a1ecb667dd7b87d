/** Bodies of channels (docs/contract/channels.md §3). */
import { z } from 'zod';
import { textShape } from '#actors/protocol/shape.ts';

export const channelEvents = textShape('text/event-stream');

export const channelMessage = z.object({
  payload: z.unknown().describe('Any JSON value, as members are told it.'),
  member: z.string().describe('The member of this caller that sends it.').optional(),
});

export const channelState = z.object({
  member: z.string().describe('A member of this caller.'),
  state: z.unknown().describe('Any JSON value, in place of the state that it had.'),
});
