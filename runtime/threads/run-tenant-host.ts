/** What a tenant host's thread answers on its port. A thread is warm when this module is loaded and `host.open` is awaited. */
import type { MessagePort } from 'node:worker_threads';
import { Channel } from '#actors/protocol/channel.ts';
import { answerRelays } from './answer-relays.ts';
import { loadExit } from './fatal.ts';
import { beginThread } from './keep-beat.ts';
import { TenantHost } from './tenant-host.ts';
import type { TenantHostData } from './tenant-host.ts';

/** After which a thread that nobody has opened is a spare, and loads what it may need. */
const SPARE_LOADS_MS = 1000;

/** Waits for `host.open` on the port, then serves. */
export function runTenantHost(port: MessagePort, data: TenantHostData): void {
  beginThread(data);
  const channel = new Channel(port, 'tenant-host', 'main');
  const thread = new TenantHost(channel, data);
  void loadExit(); // a spare has it before it is needed
  setTimeout(() => void thread.loadAhead(), SPARE_LOADS_MS).unref();
  channel.answer('host.open', (body) => thread.open(body));
  channel.answer('host.tenants', (tenants) => thread.setTenants(tenants));
  channel.answer('host.changed', (changes) => thread.changeTenants(changes));
  channel.answer('host.ring', (records) => thread.setRing(records));
  channel.answer('host.trust', (keys) => thread.trust(keys));
  channel.answer('actor.ask', (asked) => thread.ask(asked));
  channel.answer('actor.call', ({ tenantNo, call }) => thread.relayed(tenantNo, call));
  answerRelays(channel, thread);
  channel.answer('thread.drain', () => thread.drain());
  channel.answer('thread.throw', () => {
    setImmediate(() => {
      throw new Error('a drill');
    });
    return null;
  });
}
