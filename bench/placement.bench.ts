/** How places are shared out among a thousand nodes on which a million tenants lie: the time of a look, and how many tenants change their node when one comes or goes. */
import { sharePlaces, type Room } from '#runtime/supervisor/share-places.ts';
import type { BenchCase } from './harness.ts';
import type { Figure } from './kit/figure.ts';
import { median } from './kit/stats.ts';

const NODES = 1000;
const PLACES = 10_000;
const TENANTS = 1_000_000;
const LOOKS = 10;
const MS_MAX = 1000;

const roomOf = (no: number): Room => ({ id: `life ${no}`, weight: 1 + (no % 3) });

/** Tenants whose place is at another node than before; a tenant lies in the place of its number. */
function moved(before: readonly (string | null)[], behind: readonly string[]): number {
  let count = 0;
  for (let tenant = 0; tenant < TENANTS; tenant++) if (before[tenant % PLACES] !== behind[tenant % PLACES]) count++;
  return count;
}

export const placement: BenchCase = {
  name: 'placement',
  measures: `${PLACES} places of ${TENANTS} tenants on ${NODES} nodes: a look at all of them, and what moves with a node that comes or goes`,
  target: `< ${MS_MAX} ms, at most its share moves`,
  http: false,
  seconds: () => 30,
  run() {
    const rooms = Array.from({ length: NODES }, (_, no) => roomOf(no));
    const weights = rooms.reduce((sum, { weight }) => sum + weight, 0);
    const all = sharePlaces(
      rooms,
      Array.from({ length: PLACES }, () => null),
    );
    const figures: Figure[] = [];
    const look = (name: string, among: readonly Room[], present: readonly (string | null)[], weight: number): void => {
      const times: number[] = [];
      let behind: readonly string[] = [];
      for (let no = 0; no < LOOKS; no++) {
        const from = performance.now();
        behind = sharePlaces(among, present);
        times.push(performance.now() - from);
      }
      const count = present[0] === null ? 0 : moved(present, behind);
      // A place is moved whole, and each node rounds its share up.
      const most = Math.ceil((PLACES * weight) / weights) * (TENANTS / PLACES);
      const note = `${count} of ${TENANTS} tenants change their node; its share is ${most}`;
      const target = { of: 'value', bound: 'max', than: MS_MAX } as const;
      figures.push({ name, unit: 'ms', value: median(times), runs: times, errors: count > most ? 1 : 0, target, note });
    };
    look(
      'placement from nothing',
      rooms,
      Array.from({ length: PLACES }, () => null),
      weights,
    );
    look('placement when a node goes', rooms.slice(1), all, rooms[0]!.weight);
    look('placement when a node comes', [...rooms, roomOf(NODES)], all, roomOf(NODES).weight);
    return Promise.resolve(figures);
  },
};
