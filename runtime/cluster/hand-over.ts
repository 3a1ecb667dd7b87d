/**
 * `skep cluster drain`: the node that serves a log gives its place to one that waits and follows. The word goes through the log itself, so that it reaches a node on any machine, and the node sees it
 * with its next beat. Who may call it reads the platform file and its URL, as for every verb of a cluster; callers wait from the last answer here to the first one of the heir, whose threads are loaded, and a node that does not hear it goes on.
 */
import { limits } from '#config/limits.ts';
import type { Platform } from '#config/platform.ts';
import { nodeRows, type NodeRow } from '#storage/log-engine/postgres/cluster.ts';
import { PostgresNodes } from '#storage/log-engine/postgres/nodes.ts';
import { untilKnown } from '#storage/log-engine/until-known.ts';
import { asked, nameOf, pause, sessionOf } from './log-of.ts';

const { followLateMs, handOverMsMax, handOverLookMs } = limits.cluster;

export interface HandedOver {
  readonly from: string;
  readonly to: string;
  /** From the word to the node until the other one had its place. */
  readonly seconds: number;
}

/** `name`: of the node that is to serve no more; null for whichever serves. Throws where no node serves, another one does, none waits that follows, or the place has not changed in time. */
export async function handOver(platform: Platform, name: string | null): Promise<HandedOver> {
  const options = sessionOf(platform);
  const look = (): Promise<readonly NodeRow[]> => asked(options, () => nodeRows(options));
  const from = servingOf(await look(), name);
  const heir = await readyHeir(look);
  const nodes = new PostgresNodes(options);
  const began = performance.now();
  try {
    if (!(await untilKnown(() => nodes.handOver(from.id, heir.id), pause)))
      throw new Error(`the nodes on ${nameOf(options)} have changed meanwhile: run the command again`);
  } finally {
    await nodes.close();
  }
  const to = await successor(from, look);
  return { from: from.node, to: to.node, seconds: Math.round(performance.now() - began) / 1000 };
}

const isAlive = ({ isFenced, leaseMs, silentMs }: NodeRow): boolean => !isFenced && silentMs < leaseMs;

const waits = (row: NodeRow): boolean => !row.serves && isAlive(row);

/** The node that serves, which has to be the one that is named. */
export function servingOf(rows: readonly NodeRow[], name: string | null): NodeRow {
  const serving = rows.find((row) => row.serves && isAlive(row));
  if (serving === undefined)
    throw new Error('no node serves the log, so none can hand over\n    start one: skep -f <file>');
  if (name !== null && serving.node !== name)
    throw new Error(`${name} does not serve the log: ${serving.node} does\n    skep cluster status shows the nodes`);
  return serving;
}

/** The life of each place that beat last: one that ended a moment ago looks as if it lived, and would never take what it is given. */
function newestLives(rows: readonly NodeRow[]): NodeRow[] {
  const byPlace = Map.groupBy(rows, ({ place }) => place);
  return [...byPlace.values()].map((lives) => lives.reduce((a, b) => (b.silentMs < a.silentMs ? b : a)));
}

/** The node that waits and lacks least. */
export function heirOf(rows: readonly NodeRow[]): NodeRow {
  const waiting = newestLives(rows).filter(waits);
  const ready = waiting.filter(({ follows }) => follows !== null && (follows.ageMs ?? Infinity) <= followLateMs);
  const [heir] = ready.toSorted((a, b) => a.follows!.behind - b.follows!.behind);
  if (heir !== undefined) return heir;
  const late = waiting.map(({ node }) => node).join(', ');
  throw new Error(
    waiting.length === 0
      ? 'no other node waits for the place, so nothing was changed\n    start a standby: skep -f <its file>'
      : `no node that waits has followed the log to its end (${late}), so nothing was changed\n    skep cluster status says how far each is behind: wait, or see to its lines`,
  );
}

/** As `heirOf`, of one that has followed to the end within a few beats: what nodes say of themselves is that old. */
async function readyHeir(look: () => Promise<readonly NodeRow[]>): Promise<NodeRow> {
  const end = performance.now() + followLateMs;
  for (;;) {
    const rows = await look();
    const isLate = performance.now() >= end || !newestLives(rows).some(waits);
    try {
      return heirOf(rows);
    } catch (error) {
      if (isLate) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, handOverLookMs));
  }
}

/** The node that has the place; the one that was meant, or another one that was faster. The word is given: a database that does not answer meanwhile is asked again. */
async function successor(from: NodeRow, look: () => Promise<readonly NodeRow[]>): Promise<NodeRow> {
  for (const end = performance.now() + handOverMsMax; performance.now() < end;) {
    const rows = await look().catch((): readonly NodeRow[] => []);
    const now = rows.find((row) => row.serves && !row.isFenced);
    if (now !== undefined && now.id !== from.id) return now;
    await new Promise((resolve) => setTimeout(resolve, handOverLookMs));
  }
  throw new Error(
    `${from.node} was told to hand over, and no other node has its place after ${handOverMsMax / 1000} s\n    see its lines and skep cluster status; it still does so when it is done with what it took`,
  );
}
