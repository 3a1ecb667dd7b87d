/** Runs a job on the host of a place and waits for its end. */
import type { Job, Place, Reports } from '#runtime/copies/job.ts';
import type { Told } from '#runtime/provision.ts';
import type { TenantHostRoom } from '#runtime/rooms/tenant-host-room.ts';

export async function runJob<J extends Job>(
  hosts: Pick<TenantHostRoom, 'beginJob' | 'lookAtJob'>,
  place: Place,
  job: J,
  told: Told,
): Promise<Reports[J['kind']]> {
  const id = await hosts.beginJob(place, job);
  for (;;) {
    const step = await hosts.lookAtJob(place, id);
    if (step.ended) return step.report as Reports[J['kind']];
    told(`${step.done} entries`);
  }
}
