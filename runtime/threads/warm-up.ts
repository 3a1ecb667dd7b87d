/** Wakes the tenants of `content.loadtenants` before their first request. */
import type { Platform } from '#config/platform.ts';
import type { TenantEntry } from '#actors/protocol/topics.ts';
import { threadLogger } from '#runtime/observe/thread-logger.ts';
import { isSuspended } from './standings.ts';

/** Where waking fails, the first request tries again. A suspended tenant sleeps. */
export function warmUp(
  tenants: readonly TenantEntry[],
  platform: Platform,
  wake: (tenantNo: number) => Promise<unknown>,
): void {
  const wanted = new Set(platform.content.loadtenants);
  for (const entry of tenants) {
    const { no, state, position } = entry;
    if (state !== 'active' || isSuspended(entry) || !wanted.has(position.key)) continue;
    wake(no).catch((error: unknown) =>
      threadLogger(platform, 'content').warn(
        { err: error, tenant: position.key },
        'a tenant of content.loadtenants could not be woken ahead: its first request tries again',
      ),
    );
  }
}
