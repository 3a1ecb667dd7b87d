/** Loads code for which no request shall wait. */
import type { Platform } from '#config/platform.ts';
import type { Service } from '#actors/host/service.ts';
import { threadLogger } from '#runtime/observe/thread-logger.ts';

/** Each service loads only once. What does not load is logged. */
export async function loadAhead(
  services: Iterable<Pick<Service, 'loads' | 'name'>>,
  platform: Platform,
): Promise<void> {
  for (const { name, loads } of services)
    await loads?.().catch((error: unknown) =>
      threadLogger(platform, name).error(
        { err: error },
        'a module that some requests of this service need does not load: these requests fail',
      ),
    );
}
