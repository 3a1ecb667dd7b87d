/** `npm run bench:peers [contest …] [-- flags]`: Skep beside what one would otherwise use, in one run on one machine. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { dirname } from 'node:path';
import { withBench, type Bench } from '#bench/harness.ts';
import { measureFsync } from '#bench/kit/fsync-rate.ts';
import { withDataNode, type DataNode } from '#bench/kit/data-node.ts';
import type { Figure } from '#bench/kit/figure.ts';
import { span } from '#bench/kit/format.ts';
import { parseOptions } from '#bench/kit/options.ts';
import { hasErrors, reportText, type Failure } from '#bench/kit/report.ts';
import { byPeer, chosenContests, type Contest } from './contests.ts';
import { duel } from './duel.ts';
import { estimatePeers } from './estimate.ts';
import { assertInstalled, install, isInstalled } from './install.ts';
import { jqVersion, measureJq } from './jq-native.ts';
import { versionOf, type Peer, type Running } from './peer.ts';
import { peerDir } from './postgres.ts';
import { peersText, type PeerNote, type PeersReport } from './report.ts';
import { SKEP_EXTRA, SKEP_SETTINGS, skepSides } from './skep-side.ts';

const log = (text: string): void => void process.stderr.write(text);
const FSYNC_MS = 300;

class Match {
  readonly figures: Figure[] = [];
  readonly failures: Failure[] = [];
  readonly peers: PeerNote[] = [];
  readonly skipped: { name: string; reason: string }[] = [];
  readonly #bench: Bench;

  constructor(bench: Bench) {
    this.#bench = bench;
  }

  async all(http: readonly Contest[], node: DataNode): Promise<void> {
    this.peers.push({ name: 'Skep', version: this.#bench.machine.commit ?? '', settings: SKEP_SETTINGS });
    let no = 0;
    for (const [peer, contests] of byPeer(http)) await this.#against(peer, contests, node, `${no++}`);
  }

  async #against(peer: Peer, contests: readonly Contest[], node: DataNode, place: string): Promise<void> {
    this.#bench.log(`starting ${peer.name} …`);
    const { dataDir } = this.#bench;
    let running: Running;
    try {
      assertInstalled(peer.shelf, peer.natives);
      running = await peer.start({ dir: peerDir(dataDir, place), beside: dirname(dataDir) });
    } catch (error) {
      this.skipped.push({ name: peer.name, reason: (error as Error).message });
      return;
    }
    try {
      this.peers.push({ name: peer.name, version: versionOf(peer), settings: running.settings });
      for (const contest of contests) await this.#contest(contest, running, node);
    } finally {
      await running.stop();
    }
  }

  async #contest(contest: Contest, running: Running, node: DataNode): Promise<void> {
    this.#bench.log(`${contest.name}: Skep and ${contest.peer.name} …`);
    try {
      const skep = (await skepSides(node))[contest.operation]!;
      const disk = measureFsync(this.#bench.dataDir, FSYNC_MS);
      this.figures.push(await duel(contest, skep, running.sides[contest.operation]!, this.#bench.options, disk));
    } catch (error) {
      this.failures.push({ case: contest.name, message: (error as Error).message });
    }
  }

  jq(): void {
    this.#bench.log('jq: Skep and native jq …');
    try {
      const version = jqVersion();
      this.figures.push(measureJq(this.#bench.dataDir, this.#bench.options.pairs));
      this.peers.push({ name: 'native jq', version, settings: 'one process over all lines, output compact' });
    } catch (error) {
      this.skipped.push({ name: 'native jq', reason: (error as Error).message });
    }
  }

  report(): PeersReport {
    const { figures, failures, peers, skipped } = this;
    return { ...this.#bench.report(figures, failures), peers, skipped };
  }
}

/** This process and all that it starts from now on leave the last core to the load. */
function pinToFirstCores(): void {
  const { length } = cpus();
  if (length < 2) throw new Error('--pin needs two cores');
  execFileSync('taskset', ['-a', '-p', '-c', `0-${length - 2}`, String(process.pid)], { stdio: 'ignore' });
}

async function main(args: readonly string[]): Promise<number> {
  const options = parseOptions(args);
  const { http, jq } = chosenContests(options.names);
  const shelves = new Set([...byPeer(http).keys()].map(({ shelf }) => shelf));
  const missing = [...shelves].filter((shelf) => !isInstalled(shelf));
  log(`This takes about ${span(estimatePeers(http, jq, options, missing))}. Nothing else should run meanwhile.\n`);
  for (const { name, seconds } of missing) log(`  of it ${span(seconds)} to install and compile ${name}, once\n`);
  for (const shelf of missing) install(shelf, log);
  if (options.pin) pinToFirstCores();
  const report = await withBench(options, undefined, log, async (bench) => {
    const match = new Match(bench);
    if (http.length > 0) await withDataNode(bench, (node) => match.all(http, node), { more: SKEP_EXTRA });
    if (jq) match.jq();
    return match.report();
  });
  process.stdout.write(`\n${reportText({ ...report, figures: [], failures: [] })}${peersText(report)}`);
  if (options.json !== undefined) {
    mkdirSync(dirname(options.json), { recursive: true });
    writeFileSync(options.json, `${JSON.stringify(report, null, 2)}\n`);
  }
  return hasErrors(report) ? 1 : 0;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  log(`bench:peers: ${(error as Error).message}\n`);
  process.exitCode = 1;
}
