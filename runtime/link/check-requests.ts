/** What the node that serves sends to a thread of another one: batches of requests, and of messages about streams. */
import { REQUESTS, REQUEST_STRIDE, STREAM, STREAM_STRIDE, type Flat } from '#actors/protocol/frame.ts';
import { LinkFault, checkStride, kindOf, textAt, wholeAt } from './frames.ts';

/** Columns of a request that are texts: the path's parameters, the query, the credential, its id, further headers. */
const TEXTS = [4, 5, 6, 7, 8] as const;
const NUMBERS = [1, 2, 3] as const;

/** Gives the batch. Throws LinkFault for what is none. */
export function checkRequests(batch: Flat): Flat {
  const isStream = batch[0] === STREAM;
  if (batch[0] !== REQUESTS && !isStream)
    throw new LinkFault(`a batch of kind ${kindOf(batch)} does not go to a thread`);
  checkStride(batch, isStream ? STREAM_STRIDE : REQUEST_STRIDE);
  for (let at = 1; at < batch.length; at += isStream ? STREAM_STRIDE : REQUEST_STRIDE) {
    wholeAt(batch, at);
    if (isStream) wholeAt(batch, at + 1, 1);
    else checkRequest(batch, at);
  }
  return batch;
}

function checkRequest(batch: Flat, at: number): void {
  for (const column of NUMBERS) wholeAt(batch, at + column, Number.MIN_SAFE_INTEGER);
  for (const column of TEXTS) textAt(batch, at + column);
}
