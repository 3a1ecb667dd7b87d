/** Fills a registry from the store at wake: in slices, since a tenant may have more sessions than a turn can read. */
import { limits } from '#config/limits.ts';
import type { Activation } from '#actors/host/activation.ts';
import { instantMs } from '#config/values/instant.ts';
import type { Later } from '../last-use.ts';
import type { SessionRegistry } from './registry.ts';
import { scanSessions } from './store.ts';
import type { SessionRecord } from './store.ts';

/** Done when it returns, or when its promise settles. Expired sessions come too: the keeper sweeps them. */
export function loadSessions(
  registry: SessionRegistry,
  store: Activation['store'],
  later: Later,
): void | Promise<void> {
  const snapshot = store.snapshot();
  const rows = scanSessions(snapshot);
  let more = false;
  try {
    more = !takeSlice(registry, rows);
  } finally {
    if (!more) snapshot.close();
  }
  if (more) return inSlices(registry, rows, later).finally(() => snapshot.close());
}

function inSlices(registry: SessionRegistry, rows: IterableIterator<SessionRecord>, later: Later): Promise<void> {
  return new Promise((resolve, reject) => {
    const go = (): void => {
      try {
        if (takeSlice(registry, rows)) resolve();
        else later(go);
      } catch (error) {
        reject(error);
      }
    };
    later(go);
  });
}

/** Whether that was all. */
function takeSlice(registry: SessionRegistry, rows: IterableIterator<SessionRecord>): boolean {
  for (let taken = 0; taken < limits.session.sliceRows; taken++) {
    const next = rows.next();
    if (next.done === true) return true;
    enter(registry, next.value);
  }
  return false;
}

/** An expiry that cannot be read is NaN, which nothing is before: such a session does not live. */
function enter(registry: SessionRegistry, record: SessionRecord): void {
  const { id, origin, principal, kind } = record;
  const expiresAtMs = instantMs(record.expires_at);
  if (record.revoked_at !== null) registry.addEnded(principal, { id, expiresAtMs });
  else {
    const lastSeenMs = instantMs(record.last_seen_at);
    registry.add({ id, origin, principal, kind, expiresAtMs, lastSeenMs, touched: false });
  }
}
