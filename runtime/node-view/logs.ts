/** The newest lines of the logs of all threads, in one order. A thread that does not answer in time is named, and holds the others up no longer. */
import type { Platform } from '#config/platform.ts';
import type { KeptLine, LinesAsk, LogLine, NodeLogs } from '#actors/protocol/node-view.ts';
import { scrubber, withoutCallers } from '#runtime/debug/scrub.ts';
import { recentLines } from '#runtime/observe/recent-lines.ts';
import type { ViewParts } from './view-parts.ts';

type Thread = readonly [name: string, lines: readonly KeptLine[]];

export class LogsView {
  readonly #parts: Pick<ViewParts, 'live' | 'supervisor' | 'watchdog'>;

  #scrubber: { readonly platform: Platform; readonly scrub: (text: string) => string } | null = null;

  constructor(parts: Pick<ViewParts, 'live' | 'supervisor' | 'watchdog'>) {
    this.#parts = parts;
  }

  /** Logs hold no secret; the texts are scrubbed all the same, by what the platform holds now, since they leave the machine. */
  async lines(ask: LinesAsk): Promise<NodeLogs> {
    const threads: Thread[] = [['main', recentLines.list(ask)]];
    const silent: string[] = [];
    const { still } = this.#parts.watchdog;
    await Promise.all(
      Array.from(this.#parts.supervisor.places(), async ({ desk: { name }, channel }) => {
        // A thread that stands still reads no messages, and they would pile up.
        if (still.has(name)) return void silent.push(name);
        try {
          threads.push([name, await channel.ask('thread.lines', ask)]);
        } catch {
          silent.push(name);
        }
      }),
    );
    const scrub = this.#scrub();
    const lines = threads
      .flatMap(([thread, kept]) => kept.map((line) => ({ thread, ...line })))
      .sort((a, b) => a.at - b.at)
      .slice(-ask.most)
      .map(({ thread, no, json }) => lineOf(thread, no, withoutCallers(scrub(json))));
    return { lines, silent: silent.sort() };
  }

  /** Made once: it reads the whole platform, which stays as it is from the start of the node on. */
  #scrub(): (text: string) => string {
    const { platform } = this.#parts.live;
    if (this.#scrubber?.platform !== platform) this.#scrubber = { platform, scrub: scrubber(platform) };
    return this.#scrubber.scrub;
  }
}

function lineOf(thread: string, no: number, json: string): LogLine {
  const { level, time, service, msg, ...fields } = partsOf(json);
  return {
    id: `${thread}.${no}`,
    at: textOf(time),
    level: textOf(level),
    thread,
    service: textOf(service),
    message: textOf(msg),
    fields,
  };
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** A secret that has JSON's own signs in it may leave a text that is none any more. */
function partsOf(json: string): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(json) as Record<string, unknown>;
  } catch {
    return { msg: json };
  }
}
