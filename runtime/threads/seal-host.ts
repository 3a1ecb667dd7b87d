/** The first half of a host's end: behind it nothing is written any more, and another node may have its shards. */
import { setTimeout as passed } from 'node:timers/promises';
import type { Host } from '#actors/host/host.ts';
import type { Outbox } from '#actors/protocol/channel.ts';
import type { Archive } from '#storage/archive.ts';
import type { HostCopies } from '#runtime/copies/host-copies.ts';
import type { HostScrub } from '#runtime/scrub/host-scrub.ts';

export interface Sealed {
  readonly host: Host;
  readonly archive: Archive;
  readonly scrub: HostScrub | null;
  readonly copies: HostCopies | null;
  readonly outbox: Outbox;
}

const LOOK_MS = 2;

/** Answers everything accepted. When this resolves all of it is durable. */
export async function sealHost({ host, archive, scrub, copies, outbox }: Sealed): Promise<void> {
  while (host.inFlight > 0) await passed(LOOK_MS);
  await Promise.all([scrub?.stop(), copies?.stop()]);
  await host.close();
  outbox.flush();
  await archive.seal();
}
