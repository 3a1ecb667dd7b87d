/** The other end of the message-hop bench: answers each request with its own body, in one batch per message. */
import { parentPort } from 'node:worker_threads';
import { Channel, Outbox } from '#actors/protocol/channel.ts';
import { REPLIES, REQUEST_STRIDE } from '#actors/protocol/frame.ts';

const channel = new Channel(parentPort!, 'tenant-host', 'main');
const outbox = new Outbox(channel, REPLIES, queueMicrotask);

channel.onBatch = (batch) => {
  for (let at = 1; at < batch.length; at += REQUEST_STRIDE)
    outbox.batch.push(batch[at]!, 200, '', batch[at + REQUEST_STRIDE - 1]!);
};
