/**
 * Log lines of one shape, one for each request. They are rendered by hand, since a logger's redaction and copying cost the thread more than the
 * request's own work, and written a few in each turn of the event loop, so that a burst of lines does not delay a commit's answer.
 * Only fields that are never secret go here; there is no redaction.
 */
import { limits } from '#config/limits.ts';
import type { LineSink } from './gathered-lines.ts';

export type LineFields = Readonly<Record<string, string | number>>;

export interface RequestLinesOptions {
  readonly service: string;
  readonly message: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Runs a function in the next turn of the event loop (setImmediate). */
  readonly later: (run: () => void) => void;
}

interface Waiting {
  readonly at: number;
  readonly fields: LineFields;
}

/** Written lines that may still be held in the list. */
const LET_GO = 4096;

export class RequestLines {
  readonly #sink: LineSink;
  readonly #options: RequestLinesOptions;
  readonly #run = (): void => this.#turn();
  #waiting: Waiting[] = [];
  #next = 0;
  #dropped = 0;
  #scheduled = false;
  #stampedAt = -1;
  #stamp = '';

  constructor(sink: LineSink, options: RequestLinesOptions) {
    this.#sink = sink;
    this.#options = options;
  }

  /** Lines in the list, including written ones that are not yet removed. */
  get held(): number {
    return this.#waiting.length;
  }

  /** Queues one line with the present time. Beyond the bound it is only counted, and a later line says how many were. */
  add(fields: LineFields): void {
    if (this.#waiting.length - this.#next >= limits.log.requestLinesMax) this.#dropped++;
    else this.#waiting.push({ at: this.#options.now(), fields });
    if (this.#scheduled) return;
    this.#scheduled = true;
    this.#options.later(this.#run);
  }

  /** Writes all waiting lines: the thread ends, or its file is about to be renamed. */
  flush(): void {
    while (this.#next < this.#waiting.length) this.#write(limits.log.requestLinesPerTurn);
  }

  #turn(): void {
    this.#scheduled = false;
    this.#write(limits.log.requestLinesPerTurn);
    if (this.#next === this.#waiting.length) return;
    this.#scheduled = true;
    this.#options.later(this.#run);
  }

  #write(most: number): void {
    const end = Math.min(this.#next + most, this.#waiting.length);
    for (; this.#next < end; this.#next++) this.#sink.write(this.#render(this.#waiting[this.#next]!));
    this.#letGo();
    if (this.#waiting.length > 0) return;
    if (this.#dropped === 0) return;
    const fields = { dropped: this.#dropped };
    this.#dropped = 0;
    this.#sink.write(this.#render({ at: this.#options.now(), fields }));
  }

  /** Written lines are removed in large pieces: a flood that never lets the list run empty must not make it grow. */
  #letGo(): void {
    if (this.#next < this.#waiting.length && this.#next < LET_GO) return;
    this.#waiting = this.#waiting.slice(this.#next);
    this.#next = 0;
  }

  #render({ at, fields }: Waiting): string {
    let text = `{"level":"info","time":"${this.#timeOf(at)}","service":${JSON.stringify(this.#options.service)}`;
    for (const name in fields) text += `,"${name}":${JSON.stringify(fields[name])}`;
    return `${text},"msg":${JSON.stringify(this.#options.message)}}\n`;
  }

  /** Lines of one millisecond share the text of its time. */
  #timeOf(at: number): string {
    if (at === this.#stampedAt) return this.#stamp;
    this.#stampedAt = at;
    return (this.#stamp = new Date(at).toISOString());
  }
}
