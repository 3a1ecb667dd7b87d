/** Progress of long work: a bar where the line can be redrawn, elsewhere a line every few seconds. */
import type { Terminal } from './terminal.ts';

const REDRAW_MS = 100;
const LINE_MS = 5000;
const BAR_CHARS_MAX = 30;

export interface ProgressOptions {
  readonly label: string;
  /** The total; null when it is unknown. */
  readonly total: number | null;
  /** The unit: `rows`. */
  readonly unit: string;
}

export class Progress {
  readonly #terminal: Terminal;
  readonly #options: ProgressOptions;
  readonly #start: number;
  #shownAt: number;
  #done = 0;
  #ended = false;

  constructor(terminal: Terminal, options: ProgressOptions) {
    this.#terminal = terminal;
    this.#options = options;
    this.#start = terminal.now();
    this.#shownAt = terminal.redraws ? -Infinity : this.#start;
  }

  /** Reports how many are done. Cheap: it draws only now and then. */
  update(done: number): void {
    this.#done = done;
    const now = this.#terminal.now();
    if (this.#ended || now - this.#shownAt < (this.#terminal.redraws ? REDRAW_MS : LINE_MS)) return;
    this.#shownAt = now;
    this.#draw(this.#line(now));
  }

  /** The closing line: how many, how long, how fast. Further calls do nothing. */
  finish(): void {
    if (this.#ended) return;
    this.#ended = true;
    const seconds = (this.#terminal.now() - this.#start) / 1000;
    const { label, unit } = this.#options;
    const text = `${label}: ${count(this.#done)} ${unit} in ${duration(seconds)}${this.#rate(seconds, ', ')}`;
    this.#terminal.err(this.#terminal.redraws ? `\r\u001b[2K${text}\n` : `${text}\n`);
  }

  #draw(text: string): void {
    this.#terminal.err(this.#terminal.redraws ? `\r\u001b[2K${text}` : `${text}\n`);
  }

  #line(now: number): string {
    const { label, total, unit } = this.#options;
    const seconds = (now - this.#start) / 1000;
    const rate = this.#rate(seconds, '  ');
    if (total === null) return this.#cut(`${label}  ${count(this.#done)} ${unit}${rate}`);
    const part = total === 0 ? 1 : Math.min(1, this.#done / total);
    const left = this.#done > 0 && part < 1 ? `  ${duration((seconds / this.#done) * (total - this.#done))} left` : '';
    const text = `${Math.floor(part * 100)}%  ${count(this.#done)}/${count(total)} ${unit}${rate}${left}`;
    if (!this.#terminal.redraws) return `${label}  ${text}`;
    const room = Math.min(BAR_CHARS_MAX, this.#terminal.columns - label.length - text.length - 6);
    return this.#cut(room < 5 ? `${label}  ${text}` : `${label} ${bar(part, room)} ${text}`);
  }

  #cut(text: string): string {
    return this.#terminal.redraws ? text.slice(0, Math.max(10, this.#terminal.columns - 1)) : text;
  }

  #rate(seconds: number, before: string): string {
    return seconds > 0 && this.#done > 0
      ? `${before}${count(Math.round(this.#done / seconds))} ${this.#options.unit}/s`
      : '';
  }
}

function bar(part: number, room: number): string {
  const full = Math.round(part * room);
  return `[${'█'.repeat(full)}${'░'.repeat(room - full)}]`;
}

function count(value: number): string {
  return value.toLocaleString('en-US');
}

/** `0.4s`, `12s`, `3m05s`, `1h02m`. */
function duration(seconds: number): string {
  if (seconds < 9.95) return `${seconds.toFixed(1)}s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole}s`;
  const two = (value: number): string => String(value).padStart(2, '0');
  if (whole < 3600) return `${Math.floor(whole / 60)}m${two(whole % 60)}s`;
  return `${Math.floor(whole / 3600)}h${two(Math.floor((whole % 3600) / 60))}m`;
}
