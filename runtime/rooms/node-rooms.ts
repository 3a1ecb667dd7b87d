/** Puts the rooms of a node together: one for each kind of thread in supervisor/children.ts. */
import type { RelayedAnswer } from '#actors/protocol/relay.ts';
import type { BodyOf, JournalCopyNews, NodeAsk } from '#actors/protocol/topics.ts';
import type { NodeEvents } from '#runtime/node-events.ts';
import type { Relays } from '#runtime/relays/relays.ts';
import type { ThreadRooms } from '#runtime/supervisor/room.ts';
import type { Shared } from '#runtime/supervisor/shared.ts';
import type { Supervisor } from '#runtime/supervisor/supervisor.ts';
import type { TraceRelay } from '#runtime/trace-relay.ts';
import { AuditSealerRoom } from './audit-sealer-room.ts';
import { CourierRoom } from './courier-room.ts';
import { IntakeWriterRoom } from './intake-writer-room.ts';
import { JournalCopierRoom } from './journal-copier-room.ts';
import { TenantHostRoom } from './tenant-host-room.ts';
import { VaultKeeperRoom } from './vault-keeper-room.ts';

export interface NodeRoomsPorts {
  readonly threads: Pick<Supervisor, 'channel' | 'hold' | 'host' | 'hosts' | 'shardCount' | 'spare' | 'startAhead'>;
  readonly shared: Shared;
  readonly events: NodeEvents;
  readonly relays: Pick<Relays, 'draining'>;
  readonly traceRelay: Pick<TraceRelay, 'handedOver'>;
  /** What the vault's authority publishes has changed. */
  published(): void;
  /** Takes what the copier of the journals says. */
  copied(news: JournalCopyNews): void;
  /** Answers asks that concern the whole node. */
  ask(ask: NodeAsk): Promise<unknown>;
  /** Relays a superadmin's request to another tenant's admin plane. */
  relay(call: BodyOf<'node.call'>): Promise<RelayedAnswer | null>;
  /** Whether no other node has the place of this one, by a round to the log that begins now. */
  confirm(): Promise<boolean>;
}

export interface NodeRooms {
  readonly hosts: TenantHostRoom;
  readonly intake: IntakeWriterRoom;
  readonly vault: VaultKeeperRoom;
  readonly sealer: AuditSealerRoom;
  readonly courier: CourierRoom;
  readonly byThread: ThreadRooms;
}

export function nodeRooms(ports: NodeRoomsPorts): NodeRooms {
  const { threads, shared, events, relays } = ports;
  const ask = (asked: NodeAsk): Promise<unknown> => ports.ask(asked);
  const vault = new VaultKeeperRoom({ threads, events, published: () => ports.published() });
  const sealer = new AuditSealerRoom({ threads, shared, vault, events, ask });
  const courier = new CourierRoom({
    courier: () => threads.channel('courier'),
    relays,
    spansHandedOver: () => ports.traceRelay.handedOver(threads.hosts),
  });
  const intake = new IntakeWriterRoom({ threads, events });
  const hosts = new TenantHostRoom({
    threads,
    shared,
    vault,
    sealer,
    ask,
    relay: (call) => ports.relay(call),
    confirm: () => ports.confirm(),
  });
  const byThread = {
    'rate-keeper': { attach: () => undefined }, // it sweeps a shared table, and nothing is said to it or by it
    'audit-sealer': sealer,
    'vault-keeper': vault,
    'tenant-host': hosts,
    'intake-writer': intake,
    courier,
    'journal-copier': new JournalCopierRoom({ copied: (news) => ports.copied(news) }),
  };
  return { hosts, intake, vault, sealer, courier, byThread };
}
