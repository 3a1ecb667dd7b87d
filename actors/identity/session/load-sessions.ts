/** Fills a registry from the store at wake, in slices: a tenant may have more sessions than one turn can read. */
import { limits } from '#config/limits.ts';
import type { Activation } from '#actors/host/activation.ts';
import { instantMs } from '#config/values/instant.ts';
import { sliceBySlice, type Steps } from '#actors/kit/pace/steps.ts';
import type { Later } from '../last-use.ts';
import type { SessionRegistry } from './registry.ts';
import { scanSessions, type SessionRecord } from './store.ts';

/** Done when it returns, or when its promise settles. Expired sessions are loaded, too: keeper.ts deletes them. */
export function loadSessions(
  registry: SessionRegistry,
  store: Activation['store'],
  later: Later,
): void | Promise<void> {
  const steps = loadSteps(registry, store.snapshot());
  return sliceBySlice(
    () => steps.next(),
    () => new Promise((resolve) => later(resolve)),
  );
}

function* loadSteps(registry: SessionRegistry, snapshot: ReturnType<Activation['store']['snapshot']>): Steps<void> {
  let taken = 0;
  try {
    for (const record of scanSessions(snapshot)) {
      enter(registry, record);
      if (++taken % limits.session.sliceRows === 0) yield;
    }
  } finally {
    snapshot.close();
  }
}

/** An expiry that cannot be read is NaN: such a session counts as expired. */
function enter(registry: SessionRegistry, record: SessionRecord): void {
  const { id, origin, principal, kind } = record;
  const expiresAtMs = instantMs(record.expires_at);
  if (record.revoked_at !== null) registry.addEnded(principal, { id, expiresAtMs });
  else {
    const lastSeenMs = instantMs(record.last_seen_at);
    registry.add({ id, origin, principal, kind, expiresAtMs, lastSeenMs, touched: false });
  }
}
