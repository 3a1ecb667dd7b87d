/** A subscription as a stream of server-sent events (WHATWG HTML, Server-sent events; docs/contract/changes.md §4.3). */
import { limits } from '#config/limits.ts';
import { shareBytes } from '#actors/protocol/stream.ts';
import type { StoredRow } from '#actors/engine/rows/codec.ts';
import type { Session } from '#actors/engine/rows/session.ts';
import type { Hub } from './hub.ts';
import type { Told } from './judge.ts';
import { writtenRows } from './snapshot.ts';
import type { Round, Subscription } from './subscription.ts';

export interface Start {
  readonly session: Session;
  readonly rows: readonly StoredRow[];
  readonly write: (row: StoredRow) => string;
  readonly after: number;
}

/** Whole events in each piece: a stream that breaks off between two pieces has lost nothing. `start`: the rows that come first; null for none. */
export async function* eventsOf(hub: Hub, subscription: Subscription, start: Start | null): AsyncGenerator<Uint8Array> {
  try {
    yield Buffer.from(`retry: ${limits.changes.retryMs}\n\n`);
    if (start !== null) yield* snapshotOf(start, () => hub.stillCounts(subscription));
    let known = subscription.told;
    for (;;) {
      const round = await hub.next(subscription, limits.changes.heartbeatMs);
      yield bytesOf(round, known);
      known = round.after;
      if (round.kind === 'reset' || round.kind === 'end') return;
    }
  } finally {
    hub.close(subscription);
  }
}

/** Rows that were read before leave only while the credential counts; what ended it is told next. */
async function* snapshotOf({ session, rows, write, after }: Start, counts: () => boolean): AsyncGenerator<Uint8Array> {
  for await (const texts of writtenRows(session, rows, write)) {
    if (!counts()) return;
    yield Buffer.from(texts.map((text) => `event: row\ndata: ${text}\n\n`).join(''));
  }
  yield Buffer.from(`id: ${after}\nevent: snapshot\ndata: {"after":${after}}\n\n`);
}

/** The events of what several subscribers are told, which has one list in one view. */
const shared = new WeakMap<readonly Told[], Uint8Array>();

function bytesOf(round: Round, known: number): Uint8Array {
  if (round.kind !== 'told') return Buffer.from(textOf(round, known));
  const made = shared.get(round.told);
  if (made !== undefined) return made;
  const bytes = shareBytes(Buffer.from(textOf(round, known)));
  shared.set(round.told, bytes);
  return bytes;
}

/** JSON texts have no line break, and so fit one `data` line. An idle subscriber gets a comment, and its position where it has moved. */
function textOf(round: Round, known: number): string {
  switch (round.kind) {
    case 'told':
      return round.told.map(({ seq, text }) => `id: ${seq}\nevent: change\ndata: ${text}\n\n`).join('');
    case 'idle':
      return round.after > known ? `:\nid: ${round.after}\n\n` : ':\n\n';
    case 'reset':
      return `id: ${round.after}\nevent: reset\ndata: {"after":${round.after}}\n\n`;
    case 'end':
      return `event: end\ndata: {"reason":"${round.reason}"}\n\n`;
  }
}
