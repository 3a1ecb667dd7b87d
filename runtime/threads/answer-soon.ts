/** The place of a node that waits comes next: a thread with connections of its own opens them, and puts off what idle threads give back, since callers wait for it within moments. */
import type { Channel } from '#actors/protocol/channel.ts';
import type { Ahead, Closable } from '#runtime/cluster/ahead.ts';
import { settleLater } from '#runtime/collector.ts';

export function answerSoon<T extends Closable>(channel: Pick<Channel, 'answer'>, ahead: Ahead<T>): void {
  channel.answer('thread.soon', async () => {
    settleLater();
    await ahead.open();
    return null;
  });
}
