/** How long a run of contests takes. */
import type { Options } from '#bench/kit/options.ts';
import { byPeer, type Contest } from './contests.ts';
import { SECONDS, WARM_SECONDS } from './duel.ts';
import type { Shelf } from './install.ts';

const START_SECONDS = 6;
const JQ_SECONDS = 3;

/** Seconds of a run, with what is still to be installed. */
export function estimatePeers(
  http: readonly Contest[],
  jq: boolean,
  { pairs, seconds: length = SECONDS }: Options,
  missing: readonly Shelf[],
): number {
  const each = 2 * (pairs * length + Math.min(length, WARM_SECONDS));
  const starts = (byPeer(http).size + (http.length > 0 ? 1 : 0)) * START_SECONDS;
  const installing = missing.reduce((sum, { seconds }) => sum + seconds, 0);
  return starts + http.length * each + (jq ? JQ_SECONDS * pairs : 0) + installing;
}
