/**
 * The newest lines of this thread's log, for operators who ask for them. Warnings and errors have room of their own, so that a flood of other lines does not push
 * them out. Lines for single requests (request-lines.ts) are not kept: they may be thousands in a second.
 */
import { limits } from '#config/limits.ts';
import { LINE_LEVELS as LEVELS, type KeptLine, type LinesAsk } from '#actors/protocol/node-view.ts';

const { lineCharsMax, linesKept } = limits.nodeView;

/** The lines of one level; a full ring overwrites its oldest. */
interface Ring {
  readonly lines: KeptLine[];
  next: number;
}

export class RecentLines {
  readonly #rings = LEVELS.map((): Ring => ({ lines: [], next: 0 }));
  #no = 0;

  /** Takes one line as it is written: JSON that begins with its level, after the redaction of secrets. */
  add(json: string): void {
    const ring = this.#rings[weightOf(json)]!;
    ring.lines[ring.next] = { no: ++this.#no, at: Date.now(), json: cut(json) };
    ring.next = (ring.next + 1) % linesKept;
  }

  /** The newest lines from an instant on, of a level or above, oldest first. */
  list({ since, level, most }: LinesAsk): KeptLine[] {
    return this.#rings
      .slice(LEVELS.indexOf(level))
      .flatMap(({ lines }) => lines)
      .filter(({ at }) => at >= since)
      .sort((a, b) => a.no - b.no)
      .slice(-most);
  }
}

/** Of this thread. */
export const recentLines = new RecentLines();

function weightOf(json: string): number {
  if (json.startsWith('{"level":"info"')) return 1;
  if (json.startsWith('{"level":"warn"')) return 2;
  return json.startsWith('{"level":"debug"') ? 0 : 3;
}

/** A line that is too long is kept without its fields: half of a JSON text says nothing. */
function cut(json: string): string {
  if (json.length <= lineCharsMax) return json.trimEnd();
  const { level, time, service, msg } = JSON.parse(json) as Record<string, string>;
  const short = (text = ''): string => text.slice(0, lineCharsMax / 4);
  return JSON.stringify({ level, time, service: short(service), msg: short(msg), left_out: json.length });
}
