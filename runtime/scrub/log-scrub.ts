/** The scrubber of the audit sealer: round after round over the sealed segments of all logs. It changes nothing. */
import { limits } from '#config/limits.ts';
import { sealedFirsts, segmentFault } from '#storage/segment/scrub-segment.ts';
import type { Log } from '#actors/host/activation.ts';
import type { Clock } from '#actors/kit/clock.ts';
import type { Findings, Look } from './findings.ts';
import { ScrubStopped, type ScrubPace } from './pace.ts';
import { readRoundEnd, writeRoundEnd } from './round-file.ts';
import type { Looks } from './scrub-meter.ts';

export interface LogScrubPorts {
  /** The file with the end of the last complete round. */
  readonly stateDir: string;
  readonly book: { ids(): string[]; directoryOf(logId: string): string };
  readonly pace: ScrubPace;
  readonly findings: Findings;
  readonly looks: Looks;
  readonly clock: Clock;
  /** `storage.scrub_every`. */
  readonly everyMs: number;
  readonly log: Log;
}

const MEND = 'put the segment, its manifest and the tiles back from the newest copy, then run: skep audit verify';

export class LogScrub {
  readonly #ports: LogScrubPorts;
  readonly #since: number;
  /** Logs with a complete look. */
  readonly #looked = new Set<string>();
  #ended: number | null;
  #running: Promise<void> = Promise.resolve();

  constructor(ports: LogScrubPorts) {
    this.#ports = ports;
    this.#since = ports.clock.now();
    this.#ended = readRoundEnd(ports.stateDir);
  }

  start(): void {
    this.#running = this.#rounds();
  }

  async stop(): Promise<void> {
    this.#ports.pace.stop();
    await this.#running;
  }

  /** The end of the last complete round, in milliseconds; null where there was none. */
  get endedAt(): number | null {
    return this.#ended;
  }

  /** How many faults the newest complete look at a log found; null before the first since the thread started. */
  faultsOf(id: string): number | null {
    return this.#looked.has(id) ? this.#ports.findings.faultsOf(subjectName(id)) : null;
  }

  /** Seconds since the end of the last complete round; since the start of the thread where there was none. */
  get ageSeconds(): number {
    return Math.max(0, (this.#ports.clock.now() - (this.#ended ?? this.#since)) / 1000);
  }

  async #rounds(): Promise<void> {
    const { clock, everyMs, log, pace, stateDir } = this.#ports;
    let due = Math.max(clock.now() + Math.min(everyMs, limits.scrub.firstMs), (this.#ended ?? 0) + everyMs);
    for (;;) {
      await pace.sleep(Math.min(everyMs, limits.scrub.lookMs));
      if (pace.stopped) return;
      if (clock.now() < due) continue;
      due = clock.now() + everyMs;
      try {
        await this.#round();
        this.#ended = clock.now();
        await writeRoundEnd(stateDir, this.#ended);
      } catch (error) {
        if (!(error instanceof ScrubStopped))
          log.warn({ err: error }, 'the scrubber failed in the audit logs; the next round begins anew');
      }
    }
  }

  async #round(): Promise<void> {
    const { book, findings } = this.#ports;
    const ids = book.ids();
    for (const id of ids) {
      await this.#log(id);
      this.#looked.add(id);
    }
    const names = new Set(ids.map(subjectName));
    findings.keepOnly((name) => names.has(name));
    for (const id of this.#looked) if (!ids.includes(id)) this.#looked.delete(id);
  }

  async #log(id: string): Promise<void> {
    const look = this.#ports.findings.look({ scope: 'log', name: subjectName(id), mend: MEND });
    const directory = this.#ports.book.directoryOf(id);
    try {
      for (const first of await sealedFirsts(directory)) await this.#segment(id, directory, first, look);
    } catch (error) {
      if (error instanceof ScrubStopped) throw error;
      look.found({
        kind: 'environment',
        where: { log_id: id },
        what: `it cannot be read: ${(error as Error).message}`,
      });
    }
    look.end();
  }

  async #segment(id: string, directory: string, first: number, look: Look): Promise<void> {
    const { looks, pace } = this.#ports;
    pace.begin();
    const what = await segmentFault(directory, first, (bytes) => {
      looks.add('segments', 0, bytes);
      return pace.rest();
    });
    looks.add('segments', 1, 0);
    if (what !== null) look.found({ kind: 'segment', where: { log_id: id, segment: first }, what });
    await pace.rest();
  }
}

const subjectName = (id: string): string => `${id} sealed segments`;
