/** What has happened to the nodes on a log: the rows of `skep cluster events`. */
import type { Platform } from '#config/platform.ts';
import { limits } from '#config/limits.ts';
import { nodeEvents, type EventRow } from '#storage/log-engine/postgres/cluster.ts';
import { timestamp } from '#actors/kit/clock.ts';
import { asked, sessionOf } from './log-of.ts';

export interface LogEvent {
  /** By the clock of the database, RFC 3339. */
  readonly at: string;
  readonly node: string;
  readonly event: string;
}

/** Of the last month, oldest first, the newest `limits.cluster.eventsMax` rows. Changes nothing; throws where the platform file names no database, where none answers, and where it has no log. */
export async function eventsOf(platform: Platform): Promise<readonly LogEvent[]> {
  const options = sessionOf(platform);
  const rows = await asked(options, () => nodeEvents(options, limits.cluster.eventsMax));
  return rows.map((row) => ({ at: timestamp(row.at.getTime()), node: row.node ?? '?', event: textOf(row) }));
}

function textOf({ kind, other, shards, silent_s }: EventRow): string {
  const of = other ?? 'a node that is not known any more';
  switch (kind) {
    case 'started':
      return other === null ? 'started' : `started; others reach it at ${other}`;
    case 'serves':
      return other === null ? 'serves' : `serves, in place of ${other}`;
    case 'hands over':
      return `hands over to ${of}`;
    case 'carries':
      return `runs hosts for ${of}`;
    case 'carries nothing':
      return `runs no hosts for ${of} any more`;
    case 'ended':
      return `ended, ${silent_s} s behind its newest beat`;
    default:
      return shards === null ? kind : `${kind} shards ${rangesOf(shards)}${other === null ? '' : ` (${other})`}`;
  }
}

/** `0-3, 7`. */
function rangesOf(numbers: readonly number[]): string {
  const ranges: [number, number][] = [];
  for (const no of numbers) {
    const last = ranges.at(-1);
    if (last !== undefined && last[1] === no - 1) last[1] = no;
    else ranges.push([no, no]);
  }
  return ranges.map(([from, to]) => (from === to ? String(from) : `${from}-${to}`)).join(', ');
}
