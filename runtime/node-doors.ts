/** The listeners of a node, over its parts: when it serves, and before that where its doors may send to the node that does. */
import { setTimeout as passed } from 'node:timers/promises';
import type { ListenerName } from '#config/defaults.ts';
import { referencesOf } from '#config/references.ts';
import { acmeFamilies } from './acme/meter.ts';
import type { StandbyPort } from './cluster/join-log.ts';
import { openDoors } from './door/open-doors.ts';
import type { Doors } from './door/open-doors.ts';
import type { NodeParts } from './node-parts.ts';
import { usageFamilies } from './usage/usage-families.ts';

/** `waits`: no listener opens before `complete`. Throws when a port is taken, naming the listener and the key to change. */
export function openNodeDoors(parts: NodeParts, alone: ListenerName | undefined, waits = false): Promise<Doors> {
  const { backups, cluster, directory, disk, live, relays, rooms, shardCopies, usage, watchdog } = parts;
  const { platform } = live;
  return openDoors({
    ...parts,
    platform,
    far: parts.link,
    alone: alone ?? platform.service,
    waits,
    intake: rooms.intake,
    webIndex: (tenant, known) => rooms.hosts.webIndex(tenant, known),
    mailbox: platform.identity.mail?.mailbox === true ? { list: () => rooms.courier.mails() } : null,
    more: () => [
      ...watchdog.families(),
      ...disk.families(),
      ...relays.families(),
      ...backups.families(),
      ...(cluster?.families() ?? []),
      ...(parts.link?.families() ?? []),
      ...shardCopies.families(),
      ...(live.certificates?.families() ?? acmeFamilies(null)),
      ...usageFamilies(usage, directory.all()),
    ],
  });
}

/** What shows that a node waits, with its doors beside it: they open when it begins to wait, where it has a link; without one they are put together. */
export function withDoors(shown: StandbyPort, parts: NodeParts, alone: ListenerName | undefined): StandbyPort {
  const { cluster, link, live, log } = parts;
  const why = closedBecause(parts);
  if (link === null || cluster === null) return why === null ? withDoorsAhead(shown, parts, alone) : shown;
  cluster.tellsLinked(() => link.linked);
  if (why === null) cluster.whenSeen((serving) => link.follow(serving && { ...serving, link: serving.link ?? null }));
  return {
    show: async (serving, follows) => {
      const operations = await shown.show(serving, follows);
      if (live.doors !== null) return operations;
      if (why === null) {
        link.standsBy();
        live.doors = await openNodeDoors(parts, undefined);
        log.info(
          { listeners: live.doors.urls },
          'the doors of this node are open: what they get goes to the one that serves',
        );
      } else log.warn({}, `${why}: the doors of this node stay closed until it serves`);
      return operations;
    },
    takesOver: () => {
      link.follow(null);
      shown.takesOver();
    },
  };
}

/** Callers wait from the last answer of the other node to the first one here, so nothing but to listen is left when the turn of this node comes. */
function withDoorsAhead(shown: StandbyPort, parts: NodeParts, alone: ListenerName | undefined): StandbyPort {
  const { live } = parts;
  return {
    show: async (serving, follows) => {
      const operations = await shown.show(serving, follows);
      live.doorsAhead ??= await openNodeDoors(parts, alone, true);
      return operations;
    },
    takesOver: () => shown.takesOver(),
  };
}

/** Before a process ends that stands by: its doors answer what they took. */
export async function closeStanding({ carrying, link, live }: NodeParts, noticeMs: number): Promise<void> {
  const { doors, doorsAhead } = live;
  await doorsAhead?.close();
  doors?.retire();
  if (doors !== null && noticeMs > 0) await passed(noticeMs);
  await doors?.close();
  await carrying?.ends('this node stops');
  if (doors !== null) await link?.close();
}

/** What a door needs and a node has only while it serves; null where there is nothing of that. */
function closedBecause({ live: { platform } }: NodeParts): string | null {
  if (referencesOf(platform).length > 0) return 'secrets of the platform file lie in the vault of the node';
  return platform.gateway.tls?.acme === undefined ? null : 'certificates of sites are ordered by the node that serves';
}
