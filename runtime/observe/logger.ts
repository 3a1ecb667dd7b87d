/**
 * The node's log. Every thread opens the same output and writes whole lines, one write(2) each: lines of several threads
 * do not mix (files are opened for appending; on a pipe this holds up to 4 KiB). pino is loaded by the first line that passes the level: a thread
 * that logs no line does not pay its 20 ms.
 */
import { writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import type * as Pino from 'pino';
import type { Log } from '#actors/host/activation.ts';
import type { LogLevel } from '#config/platform.ts';
import { GatheredLines, type LineSink } from './gathered-lines.ts';
import { lineText } from './log-line.ts';
import { recentLines } from './recent-lines.ts';
import { RequestLines, type LineFields } from './request-lines.ts';
import { RotatingFile, type RotationRules } from './rotating-file.ts';

const BY_WEIGHT: readonly LogLevel[] = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];

export interface LogOptions {
  readonly level: LogLevel;
  /** `stdout`, `stderr`, or the path of a file. */
  readonly output: string;
  /** For a file that only this log writes: when it is rotated, and how many old files are kept. */
  readonly rotation?: RotationRules;
  /** JSON lines, or short lines for people. */
  readonly format: 'json' | 'text';
  /** Lines of one turn of the event loop leave together, in pieces that a pipe takes whole; warnings and errors leave at once. */
  readonly gathers?: boolean;
}

export interface ServiceLog extends Log {
  debug(fields: object, message: string): void;
}

type Destination = Pino.DestinationStream & { reopen(): void; flushSync?(): void };

/** Lines that could not be written wait up to this many bytes (a full disk, a stopped reader); further ones are dropped. */
const PENDING_BYTES_MAX = 1024 * 1024;
/** PIPE_BUF of Linux: what a pipe takes whole. */
const PIECE_BYTES_MAX = 4096;

/** Values under these names are never printed, at the top and one level down. */
const SECRETS = ['password', 'secret', 'token', 'api_key', 'authorization'].flatMap((name) => [name, `*.${name}`]);

export class NodeLog {
  readonly #options: LogOptions;
  #root: Pino.Logger | null = null;
  #destination: Destination | null = null;
  #gathered: GatheredLines | null = null;
  #sink: LineSink | null = null;
  #lines: RequestLines | null = null;

  constructor(options: LogOptions) {
    this.#options = options;
  }

  /** The log of one service. Each line names the service once; where a thread's line names a service itself, that name counts. */
  for(service: string): ServiceLog {
    const at = (level: 'debug' | 'info' | 'warn' | 'error') => {
      if (!this.#passes(level)) return () => {};
      return (fields: object, message: string) => {
        this.#rootFor(service, level, message)?.[level]({ service, ...fields }, message);
        if ((level === 'warn' || level === 'error') && this.#gathered !== null) this.#leave();
      };
    };
    return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
  }

  /** Takes lines of one message and of declared fields, none of them a secret, one for each request. */
  requestLines(service: string, message: string): (fields: LineFields) => void {
    if (!this.#passes('info')) return () => {};
    return (fields) => (this.#lines ??= this.#linesOf(service, message)).add(fields);
  }

  #linesOf(service: string, message: string): RequestLines {
    this.#open();
    return new RequestLines(this.#sink!, { service, message, now: Date.now, later: setImmediate });
  }

  /** Writes all waiting lines, before the thread ends. */
  flush(): void {
    this.#lines?.flush();
    this.#leave();
  }

  #leave(): void {
    this.#gathered?.flush();
    this.#destination?.flushSync?.();
  }

  /** Opens the file anew, after it was moved away (SIGHUP). */
  reopen(): void {
    this.flush();
    if (this.#options.output !== 'stdout' && this.#options.output !== 'stderr') this.#destination?.reopen();
  }

  #passes(level: LogLevel): boolean {
    return BY_WEIGHT.indexOf(level) >= BY_WEIGHT.indexOf(this.#options.level);
  }

  /**
   * Null where pino cannot be loaded now (no free descriptor): then the line is written without it, and without fields, because pino does the
   * redaction.
   */
  #rootFor(service: string, level: string, message: string): Pino.Logger | null {
    try {
      return this.#open();
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      const line = {
        level,
        time: new Date().toISOString(),
        service,
        msg: message,
        log_fault: code ?? 'pino does not load',
      };
      writeBare(`${JSON.stringify(line)}\n`);
      return null;
    }
  }

  #open(): Pino.Logger {
    return (this.#root ??= this.#load());
  }

  #load(): Pino.Logger {
    const { pino } = createRequire(import.meta.url)('pino') as typeof Pino;
    const { level, format } = this.#options;
    const destination = this.#destinationOf(pino);
    this.#destination = destination;
    if (this.#options.gathers === true) this.#gathered = new GatheredLines(destination);
    const sink = this.#gathered ?? destination;
    const out = format === 'json' ? sink : { write: (line: string) => sink.write(lineText(line)) };
    this.#sink = out;
    const stream = {
      write: (line: string) => {
        out.write(line);
        recentLines.add(line);
      },
    };
    return pino(
      {
        level,
        base: null,
        timestamp: pino.stdTimeFunctions.isoTime,
        formatters: { level: (label) => ({ level: label }) },
        redact: { paths: SECRETS, censor: '[redacted]' },
      },
      stream,
    );
  }

  #destinationOf(pino: typeof Pino.pino): Destination {
    const { output, rotation } = this.#options;
    if (rotation !== undefined) return new RotatingFile(output, rotation);
    const fd = output === 'stdout' ? 1 : output === 'stderr' ? 2 : null;
    const target = fd === null ? { dest: output, mkdir: true, append: true } : { fd };
    // The thread of a busy log must not wait for the reader of a full pipe: its pieces are written one after another asynchronously.
    const sync = !(this.#options.gathers === true && fd !== null);
    const destination = pino.destination({ ...target, sync, maxLength: PENDING_BYTES_MAX, maxWrite: PIECE_BYTES_MAX });
    destination.on('error', () => {}); // a log that cannot be written must not end the thread
    return destination;
  }
}

/** Loads pino before the doors are open: later, callers could take the descriptors that loading needs. */
export function loadLogger(level: LogLevel): void {
  if (level !== 'silent') createRequire(import.meta.url)('pino');
}

function writeBare(line: string): void {
  try {
    writeSync(2, line);
  } catch {
    // A log that cannot be written must not end the thread.
  }
}
