/** The listeners of a node, over its parts: when it serves, and before that where its doors may send to the node that does. */
import { setTimeout as passed } from 'node:timers/promises';
import type { ListenerName } from '#config/defaults.ts';
import type { Platform } from '#config/platform.ts';
import { neededOfVault, whyClosed } from '#config/shared-vault.ts';
import { acmeFamilies } from './acme/meter.ts';
import { endMirror, mirrorCertificates } from './certificates.ts';
import type { StandbyPort } from './cluster/join-log.ts';
import { openDoors, type Doors } from './door/open-doors.ts';
import { platformOfDoors } from './door-secrets.ts';
import type { NodeLink } from './link/node-link.ts';
import type { NodeParts } from './node-parts.ts';
import { StandingDoors } from './standing-doors.ts';
import { usageFamilies } from './usage/usage-families.ts';

/** `waits`: no listener opens before `complete`. `platform`: with the secrets that doors need. Throws when a port is taken, naming the listener and the key to change. */
export function openNodeDoors(
  parts: NodeParts,
  alone: ListenerName | undefined,
  waits = false,
  platform: Platform = parts.live.platform,
): Promise<Doors> {
  const { backups, cluster, directory, disk, live, relays, rooms, shardCopies, usage, watchdog } = parts;
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
  const { cluster, link, live } = parts;
  if (link === null || cluster === null)
    return neededOfVault(live.platform) === null ? withDoorsAhead(shown, parts, alone) : shown;
  cluster.tellsLinked(() => link.linked);
  const standing = standingDoors(parts, link);
  live.standing = standing;
  cluster.whenSeen((serving) => link.follow(serving && { ...serving, link: serving.link ?? null }));
  return {
    show: async (serving, follows) => {
      const operations = await shown.show(serving, follows);
      await standing.waits();
      return operations;
    },
    takesOver: () => {
      link.follow(null);
      shown.takesOver();
    },
  };
}

function standingDoors(parts: NodeParts, link: NodeLink): StandingDoors {
  const { live, log } = parts;
  const { platform } = live;
  return new StandingDoors({
    platform,
    closed: whyClosed(platform),
    read: neededOfVault(platform) === null ? null : (isOver) => readForDoors(parts, isOver),
    open: async (known) => {
      link.standsBy();
      live.doors = await openNodeDoors(parts, undefined, false, known);
      return live.doors;
    },
    log,
    after: (ms, run) => {
      const timer = setTimeout(run, ms).unref();
      return () => clearTimeout(timer);
    },
  });
}

/** By this node itself, while another one serves. */
async function readForDoors(parts: NodeParts, isOver: () => boolean): Promise<Platform> {
  const { platform } = parts.live;
  const { secretsOf } = await import('./cluster/in-vault.ts');
  const known = await platformOfDoors(platform, (names) => secretsOf(platform, names));
  await mirrorCertificates(parts, isOver);
  return known;
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
export async function closeStanding(parts: NodeParts, noticeMs: number): Promise<void> {
  const { carrying, link, live } = parts;
  await live.standing?.end();
  const { doors, doorsAhead } = live;
  await doorsAhead?.close();
  doors?.retire();
  if (doors !== null && noticeMs > 0) await passed(noticeMs);
  await doors?.close();
  await endMirror(parts);
  await carrying?.ends('this node stops');
  if (doors !== null) await link?.close();
}
