/** Changes of all tabs where no WebSocket passes: pages that wait, at most two at a time (docs/contract/changes.md §4.2). */
import type { Change } from './change.ts';
import { failureOf } from './errors.ts';
import type { Feeding } from './share-message.ts';
import { asError, isPassing, type Transport } from './transport.ts';
import { pause } from './wait.ts';

const AT_ONCE = 2;
/** How long a page waits for a change, in seconds: longer where no other query waits for its turn. */
const WAIT_S = 5;
const WAIT_S_IN_TURN = 1;
const AGAIN_MS = 2_000;

export interface ChangesPage {
  readonly rows?: readonly unknown[];
  readonly changes: readonly Omit<Extract<Change<unknown>, { type: 'change' }>, 'type'>[];
  readonly after: number;
  readonly more: boolean;
}

/** Takes the queries in turn until `endsAt` (milliseconds since 1970), or until the signal is aborted. */
export async function poll(transport: Transport, feeding: Feeding, endsAt: number, signal: AbortSignal): Promise<void> {
  const turns = new Map<string, number>();
  const asked = new Set<string>();
  let turn = 0;
  const next = (): string | undefined =>
    [...feeding.wanted.keys()]
      .filter((key) => !asked.has(key))
      .sort((one, other) => (turns.get(one) ?? 0) - (turns.get(other) ?? 0))[0];
  const work = async (): Promise<void> => {
    while (Date.now() < endsAt && !signal.aborted) {
      const key = next();
      if (key === undefined) await pause(AGAIN_MS, signal);
      else {
        asked.add(key);
        turns.set(key, ++turn);
        await pollOnce(transport, feeding, key, signal).finally(() => asked.delete(key));
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

async function pollOnce(transport: Transport, feeding: Feeding, key: string, signal: AbortSignal): Promise<void> {
  const query = new URLSearchParams(key);
  query.set('after', String(feeding.wanted.get(key)!.after));
  query.set('wait', String(feeding.wanted.size > AT_ONCE ? WAIT_S_IN_TURN : WAIT_S));
  query.set('limit', '1000');
  try {
    const { json } = await transport.send({ method: 'GET', path: '/data/changes', query, signal });
    const { changes, after } = json as ChangesPage;
    feeding.live(true);
    for (const change of changes) {
      const chars = JSON.stringify(change).length;
      feeding.told(key, change.seq, { ...change, type: 'change' }, chars);
    }
    feeding.told(key, after, null, 0);
  } catch (thrown) {
    signal.throwIfAborted();
    const error = asError(thrown);
    if (error.code === 'v2.changes_position_over') feeding.lost(key);
    else if (isPassing(error)) {
      feeding.live(false);
      await pause(AGAIN_MS, signal);
    } else feeding.ended(key, failureOf(error));
  }
}
