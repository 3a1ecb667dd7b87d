/** Where a verb speaks and what it sees of the world; tests pass their own. */

export interface Terminal {
  /** Text, or bytes as they are: a value need not be text. */
  out(text: string | Uint8Array): void;
  err(text: string): void;
  /** Whether whoever read the output has gone (`| head`): what is still written goes nowhere. */
  readonly isUnread?: () => boolean;
  /** Whether progress may redraw its line on the error stream. */
  readonly redraws: boolean;
  readonly columns: number;
  readonly env: Readonly<Record<string, string | undefined>>;
  now(): number;
  /** The verb stands under `skep content`: a platform file may hold content's keys at its root (docs/contract/platform.md §2.1). */
  readonly contentRoot?: boolean;
}

/** 0 done, 1 it failed, 2 it was asked wrongly: usage or configuration; `audit verify` has 2 for incomplete logs and 3 for usage. */
export const EXIT = { ok: 0, failure: 1, usage: 2, verifyUsage: 3 } as const;

/** Ends a verb with a text for people and an exit code; any other error is a fault and shows its stack. */
export class CliError extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode: number = EXIT.failure) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** The terminal for the verbs of `skep content`. */
export function contentTerminal(terminal: Terminal): Terminal {
  const { redraws, columns, env } = terminal;
  return {
    out: (text) => terminal.out(text),
    err: (text) => terminal.err(text),
    redraws,
    columns,
    env,
    now: () => terminal.now(),
    contentRoot: true,
  };
}

/** The terminal of this process. */
export function processTerminal(): Terminal {
  let unread = false;
  // A reader that has seen enough is no fault (EPIPE); a fault of another kind is one.
  const gone = (error: NodeJS.ErrnoException): void => {
    if (error.code !== 'EPIPE') throw error;
    unread = true;
  };
  process.stdout.on('error', gone);
  process.stderr.on('error', gone);
  return {
    out: (text) => void (unread || process.stdout.write(text)),
    err: (text) => void process.stderr.write(text),
    isUnread: () => unread,
    redraws: process.stderr.isTTY && process.env.TERM !== 'dumb',
    columns: process.stderr.columns || 80,
    env: process.env,
    now: () => performance.now(),
  };
}
