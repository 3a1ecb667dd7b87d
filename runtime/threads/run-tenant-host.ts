/** The handlers of a tenant host's thread. The thread is warm when this module is loaded and it waits for `host.open`. */
import type { MessagePort } from 'node:worker_threads';
import { Channel } from '#actors/protocol/channel.ts';
import { settleNow } from '#runtime/collector.ts';
import { answerSoon } from './answer-soon.ts';
import { answerRelays } from './answer-relays.ts';
import { loadExit } from './fatal.ts';
import { beginThread } from './keep-beat.ts';
import { loadLogCode, logAhead } from './log-ahead.ts';
import { hostArchives } from './open-host-archive.ts';
import { TenantHost } from './tenant-host.ts';
import type { TenantHostData } from './tenant-host-data.ts';

/** A thread that was not opened within this time is a spare, and loads what it may need. */
const SPARE_LOADS_MS = 1000;

/** Waits for `host.open` on the port, then serves. */
export function runTenantHost(port: MessagePort, data: TenantHostData): void {
  beginThread(data);
  const channel = new Channel(port, 'tenant-host', 'main');
  const thread = new TenantHost(channel, data);
  const ahead = logAhead(data.platform);
  void loadExit(); // loaded now, so that it is there when a fault needs it
  setTimeout(() => void thread.loadAhead(), SPARE_LOADS_MS).unref();
  channel.answer('host.open', (body) => thread.open(body, hostArchives(data, channel, ahead)));
  channel.answer('thread.await', async (checkouts) => {
    await Promise.all([loadLogCode(data.platform), thread.prepare(checkouts)]);
    settleNow();
    return null;
  });
  answerSoon(channel, ahead);
  channel.answer('host.tenants', (tenants) => thread.setTenants(tenants));
  channel.answer('host.changed', (changes) => thread.changeTenants(changes));
  channel.answer('host.ring', (records) => thread.setRing(records));
  channel.answer('host.trust', (keys) => thread.trust(keys));
  channel.answer('actor.ask', (asked) => thread.ask(asked));
  channel.answer('actor.call', ({ tenantNo, call }) => thread.relayed(tenantNo, call));
  const closeRelays = answerRelays(channel, thread);
  let sealed: Promise<null> | null = null;
  const seal = (): Promise<null> => (sealed ??= closeRelays().then(() => thread.seal()));
  channel.answer('host.spans', () => {
    thread.spans?.flush();
    return null;
  });
  channel.answer('host.seal', seal);
  channel.answer('thread.drain', async () => {
    await seal();
    return thread.drain();
  });
  channel.answer('thread.throw', () => {
    setImmediate(() => {
      throw new Error('a drill');
    });
    return null;
  });
}
