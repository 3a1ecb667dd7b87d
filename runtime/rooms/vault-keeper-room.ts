/** The room of the vault keeper: keys and secrets for other threads, and the vault's own events on their way to its logs. */
import type { KeyObject } from 'node:crypto';
import type { Channel } from '#actors/protocol/channel.ts';
import type { VaultState } from '#actors/protocol/vault-state.ts';
import type { TenantSecret } from '#actors/protocol/vault-topics.ts';
import type { NodeEvents } from '#runtime/node-events.ts';
import type { Attached, ThreadRoom } from '#runtime/supervisor/room.ts';
import type { Supervisor } from '#runtime/supervisor/supervisor.ts';

const NAME = 'vault-keeper';
const LOG = /^vault\//;

export interface VaultKeeperRoomPorts {
  readonly threads: Pick<Supervisor, 'channel' | 'startAhead'>;
  readonly events: Pick<NodeEvents, 'hand' | 'newest' | 'last'>;
  /** What the authority publishes has changed. */
  published(): void;
}

export class VaultKeeperRoom implements ThreadRoom {
  readonly #ports: VaultKeeperRoomPorts;

  constructor(ports: VaultKeeperRoomPorts) {
    this.#ports = ports;
  }

  /** The keeper may hand over events of the vault's own logs and ask how far these are; asks about any other log are refused. */
  attach({ channel }: Pick<Attached, 'channel'>): void {
    const { events } = this.#ports;
    channel.answer('audit.hand', (batch) => events.hand(ofVault(batch)));
    channel.answer('audit.recall', (asked) => {
      ofVault({ log: asked.prefix });
      return events.newest(asked);
    });
    channel.answer('audit.resume', (place) => events.last(ofVault(place).log, place.source));
    channel.answer('vault.published', () => {
      this.#ports.published();
      return null;
    });
  }

  /** Starts the thread before all others and gives a function that asks it for a secret of the platform file. */
  async startAhead(): Promise<(name: string) => Promise<string>> {
    await this.#ports.threads.startAhead(NAME);
    return async (name) => (await this.#keeper().ask('vault.reveal', { name })).value;
  }

  /** A signing key, made where there is none and `make` is true. Rejects on a node without a vault. */
  async signingKey(path: string, make: boolean): Promise<{ readonly key: KeyObject }> {
    return this.#keeper().ask('vault.sign-key', { path, make });
  }

  /** Destroys a signing key. */
  async forgetKey(path: string): Promise<null> {
    return this.#keeper().ask('vault.forget-key', { path });
  }

  /** A secret that a tenant's product names; null where the vault has none. Rejects on a node without a vault. */
  async tenantSecret(asked: TenantSecret): Promise<{ readonly value: string | null }> {
    return this.#keeper().ask('vault.reveal-tenant', asked);
  }

  /** What operators may see of it. Rejects while its thread is started again, and on a node without a vault. */
  async state(): Promise<VaultState> {
    return this.#keeper().ask('vault.state', null);
  }

  /** Waits until the vault knows from the audit log how far its store had come; to be called before the doors open. */
  async recall(): Promise<void> {
    await this.#ports.threads.channel(NAME)?.ask('vault.recall', null);
  }

  /** Reads its root keys and policies again (SIGHUP). */
  async reload(): Promise<void> {
    await this.#ports.threads.channel(NAME)?.ask('vault.reload', null);
  }

  #keeper(): Channel {
    const keeper = this.#ports.threads.channel(NAME);
    if (keeper === undefined) throw new Error('this node has no vault');
    return keeper;
  }
}

function ofVault<T extends { readonly log: string }>(place: T): T {
  if (!LOG.test(place.log)) throw new Error(`the vault has no log ${place.log}`);
  return place;
}
