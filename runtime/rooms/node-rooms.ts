/** Puts the rooms of a node together: one for each kind of thread in supervisor/children.ts, and main's part of what waits in outboxes. */
import type { Log } from '#actors/host/activation.ts';
import type { RelayedAnswer } from '#actors/protocol/relay.ts';
import type { BodyOf, NodeAsk } from '#actors/protocol/topics.ts';
import { AuditRoom } from '#runtime/audit-room.ts';
import type { Directory } from '#runtime/door/directory.ts';
import { HOST_ITSELF } from '#runtime/host-verbs.ts';
import { MAIL, MailRoom, WEBHOOKS } from '#runtime/mail-room.ts';
import type { MailRoomPorts } from '#runtime/mail-room.ts';
import type { NodeEvents } from '#runtime/node-events.ts';
import { NoticeRoom } from '#runtime/notice-room.ts';
import type { ThreadRooms } from '#runtime/supervisor/room.ts';
import type { Shared } from '#runtime/supervisor/shared.ts';
import type { Supervisor } from '#runtime/supervisor/supervisor.ts';
import { AuditSealerRoom } from './audit-sealer-room.ts';
import { CourierRoom } from './courier-room.ts';
import { IntakeWriterRoom } from './intake-writer-room.ts';
import { TenantHostRoom } from './tenant-host-room.ts';
import { VaultKeeperRoom } from './vault-keeper-room.ts';

export interface NodeRoomsPorts {
  readonly threads: Pick<Supervisor, 'channel' | 'host' | 'hosts' | 'shardCount' | 'spare' | 'startAhead'>;
  readonly shared: Shared;
  readonly directory: Pick<Directory, 'byNo' | 'isThere'>;
  readonly events: NodeEvents;
  readonly log: Log;
  /** Answers what a thread asks of the whole node. */
  ask(ask: NodeAsk): Promise<unknown>;
  /** Relays a superadmin's request to another tenant's admin plane. */
  relay(call: BodyOf<'node.call'>): Promise<RelayedAnswer | null>;
}

export interface NodeRooms {
  readonly hosts: TenantHostRoom;
  readonly intake: IntakeWriterRoom;
  readonly vault: VaultKeeperRoom;
  readonly sealer: AuditSealerRoom;
  readonly courier: CourierRoom;
  readonly byThread: ThreadRooms;
}

/** Asks a tenant's actor, or its host, by the number of a tenant that is there. */
type AskTenant = (tenantNo: number, service: string, verb: string, body: unknown) => Promise<unknown>;

/** Of a tenant that was deleted: its outbox went with it. */
const NO_EVENTS = { batch: { records: [] }, upTo: 0, more: false };

const after = (ms: number, run: () => void): void => void setTimeout(run, ms).unref();

export function nodeRooms(ports: NodeRoomsPorts): NodeRooms {
  const { threads, shared, directory, events, log } = ports;
  const ask = (asked: NodeAsk): Promise<unknown> => ports.ask(asked);
  const askTenant: AskTenant = (tenantNo, service, verb, body) =>
    hosts.ask(directory.byNo(tenantNo)!.shard, tenantNo, service, verb, body);
  const postPorts = (service: string): MailRoomPorts => ({
    isThere: (tenantNo) => directory.isThere(tenantNo),
    ask: (tenantNo, verb, body) => askTenant(tenantNo, service, verb, body),
    after,
    log,
  });
  const notices = new NoticeRoom();
  const outboxes = new AuditRoom({
    ask: async (tenantNo, verb, body) =>
      directory.byNo(tenantNo) === undefined ? NO_EVENTS : askTenant(tenantNo, HOST_ITSELF, verb, body),
    after,
    log,
  });
  const vault = new VaultKeeperRoom({ threads, events });
  const sealer = new AuditSealerRoom({ threads, shared, vault, events, outboxes, ask });
  const post = [new MailRoom(MAIL, postPorts('identity')), new MailRoom(WEBHOOKS, postPorts('content'))];
  const courier = new CourierRoom({ post, notices });
  const intake = new IntakeWriterRoom({ threads, events, notices });
  const hosts: TenantHostRoom = new TenantHostRoom({
    threads,
    shared,
    vault,
    sealer,
    courier,
    ask,
    relay: (call) => ports.relay(call),
  });
  const byThread = {
    'rate-keeper': { attach: () => undefined }, // it sweeps a shared table, and nothing is said to it or by it
    'audit-sealer': sealer,
    'vault-keeper': vault,
    'tenant-host': hosts,
    'intake-writer': intake,
    courier,
  };
  return { hosts, intake, vault, sealer, courier, byThread };
}
