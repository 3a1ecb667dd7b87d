/** What threads of another node send: batches of replies, and of messages about streams. */
import { REPLIES, REPLY_STRIDE, STREAM, STREAM_STRIDE, type Flat } from '#actors/protocol/frame.ts';
import { LinkFault, checkStride, kindOf, textAt, wholeAt } from './frames.ts';

/** Throws LinkFault for what they do not. */
export function checkReplies(frame: Flat): void {
  if (frame[0] === STREAM) {
    checkStride(frame, STREAM_STRIDE);
    for (let at = 1; at < frame.length; at += STREAM_STRIDE) {
      wholeAt(frame, at);
      wholeAt(frame, at + 1, 1);
    }
    return;
  }
  if (frame[0] !== REPLIES) throw new LinkFault(`a frame of kind ${kindOf(frame)} does not come from a thread`);
  checkStride(frame, REPLY_STRIDE);
  for (let at = 1; at < frame.length; at += REPLY_STRIDE) {
    wholeAt(frame, at);
    wholeAt(frame, at + 1, 100);
    textAt(frame, at + 2);
  }
}
