/** Removes kept revisions that no tenant of the node serves any more: at start and every `limits.product.sweepMs`. */
import { limits } from '#config/limits.ts';
import type { Log } from '#actors/host/activation.ts';
import type { Clock } from '#actors/kit/clock.ts';
import { Revisions } from './revisions.ts';
import type { TenantHostRoom } from './rooms/tenant-host-room.ts';

export interface RevisionSweepPorts {
  readonly dataDir: string;
  readonly hosts: Pick<TenantHostRoom, 'revisions'>;
  readonly clock: Clock;
  readonly log: Log;
}

/** Sweeps until the returned function is called. */
export function sweepRevisions(ports: RevisionSweepPorts): () => void {
  const sweep = (): void => {
    sweepOnce(ports).catch((error: unknown) => {
      // A host that is being replaced does not know which revisions its tenants serve, so nothing is removed.
      ports.log.warn(
        { err: error },
        'unused revisions of products were not looked for; the next look is in some hours',
      );
    });
  };
  sweep();
  const timer = setInterval(sweep, limits.product.sweepMs).unref();
  return () => clearInterval(timer);
}

/** Sweeps once and gives how many revisions it removed. Nothing is removed unless every host has answered which revisions its tenants serve. */
export async function sweepOnce({ dataDir, hosts, clock, log }: RevisionSweepPorts): Promise<number> {
  const used = await hosts.revisions();
  const removed = await new Revisions(dataDir).sweep(new Set(used.flat()), clock.now());
  if (removed > 0) log.info({ removed }, 'revisions of products that no tenant serves any more were removed');
  return removed;
}
