/** What a run of everything consists of: each case, then each peer with its contests, every one a process of its own. */
import { cases } from '#bench/cases.ts';
import { byPeer, contests } from '#bench/duel/contests.ts';
import { apart } from '#bench/duel/duel.ts';
import { estimatePeers } from '#bench/duel/estimate.ts';
import { isInstalled, type Shelf } from '#bench/duel/install.ts';
import type { Options } from '#bench/kit/options.ts';

export interface Wish {
  readonly kind: 'case' | 'peers';
  /** As it stands in the record. */
  readonly name: string;
  /** Program and names, of which its process is started. */
  readonly command: readonly string[];
  readonly seconds: number;
}

/** A process's own start, the disk's measurement, its end; and a server's, on data that are there. */
const PROCESS_SECONDS = 2;
const SERVER_SECONDS = 4;

export function everything(options: Options): Wish[] {
  return [...caseSteps(options), ...peerSteps(options)];
}

function caseSteps(options: Options): Wish[] {
  return cases.map((one) => ({
    kind: 'case',
    name: one.name,
    command: ['bench/run.ts', one.name],
    seconds: one.seconds(options) + PROCESS_SECONDS + (one.http ? SERVER_SECONDS : 0),
  }));
}

/** Once more with the load on a core of its own, where both sides keep every core busy and the callers take part of them. */
function apartSteps(options: Options): Wish[] {
  return [...byPeer(contests.filter(({ alsoApart }) => alsoApart))].map(([peer, some]) => ({
    kind: 'peers',
    name: `peer: ${apart(peer.name)}`,
    command: ['bench/duel/run.ts', ...some.map(({ name }) => name), '--pin'],
    seconds: estimatePeers(some, false, options, []) + PROCESS_SECONDS,
  }));
}

/** Folders are installed by the first that needs them. */
function peerSteps(options: Options): Wish[] {
  const installed = new Set<Shelf>();
  const steps = [...byPeer(contests)].map(([peer, some]): Wish => {
    const missing = installed.has(peer.shelf) || isInstalled(peer.shelf) ? [] : [peer.shelf];
    installed.add(peer.shelf);
    const seconds = estimatePeers(some, false, options, missing) + PROCESS_SECONDS;
    const names = some.map(({ name }) => name);
    return { kind: 'peers', name: `peer: ${peer.name}`, command: ['bench/duel/run.ts', ...names], seconds };
  });
  if (!options.pin) steps.push(...apartSteps(options));
  const seconds = estimatePeers([], true, options, []) + PROCESS_SECONDS;
  return [...steps, { kind: 'peers', name: 'peer: native jq', command: ['bench/duel/run.ts', 'jq'], seconds }];
}
