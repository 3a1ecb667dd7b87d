/** The room of the audit sealer, which verifies tokens by itself and has its signing keys made in the vault. */
import { limits } from '#config/limits.ts';
import type { NodeAsk } from '#actors/protocol/topics.ts';
import type { NodeEvents } from '#runtime/node-events.ts';
import type { Attached, ThreadRoom } from '#runtime/supervisor/room.ts';
import type { Shared } from '#runtime/supervisor/shared.ts';
import type { Supervisor } from '#runtime/supervisor/supervisor.ts';
import type { VaultKeeperRoom } from './vault-keeper-room.ts';

export interface AuditSealerRoomPorts {
  readonly threads: Pick<Supervisor, 'channel'>;
  readonly shared: Pick<Shared, 'all' | 'suspended'>;
  readonly vault: Pick<VaultKeeperRoom, 'signingKey'>;
  readonly events: Pick<NodeEvents, 'attachSealer' | 'settle'>;
  /** Answers asks that concern the whole node. */
  ask(ask: NodeAsk): Promise<unknown>;
}

export class AuditSealerRoom implements ThreadRoom {
  readonly #ports: AuditSealerRoomPorts;

  constructor(ports: AuditSealerRoomPorts) {
    this.#ports = ports;
  }

  attach({ channel, gone }: Attached): void {
    const { events, vault } = this.#ports;
    channel.answer('node.ask', (ask) => this.#ports.ask(ask));
    channel.answer('vault.key', ({ path }) => vault.signingKey(path, true));
    events.attachSealer(channel, gone);
  }

  async opened({ channel }: Attached): Promise<void> {
    await Promise.all([this.tellKeys(channel), this.tellSuspended(channel)]);
  }

  draining(): Promise<void> {
    return this.#ports.events.settle(limits.audit.nodeEventsSettleMs);
  }

  /** Tells which tenants are suspended. A sealer that is dying is no failure: its successor is told when it opens. */
  async tellSuspended(sealer = this.#ports.threads.channel('audit-sealer')): Promise<void> {
    if (sealer === undefined) return;
    await Promise.allSettled([sealer.ask('audit.suspended', this.#ports.shared.suspended)]);
  }

  /** Tells the ring and the trusted issuer's keys. A sealer that is dying is no failure: its successor is told when it opens. */
  async tellKeys(sealer = this.#ports.threads.channel('audit-sealer')): Promise<void> {
    if (sealer === undefined) return;
    const { ring, trust } = this.#ports.shared.all;
    await Promise.allSettled([sealer.ask('host.ring', ring), sealer.ask('host.trust', trust)]);
  }
}
