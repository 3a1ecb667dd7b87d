/** The input and output of a verb; tests pass their own. */
import { withCredentials } from '#config/credentials.ts';

export interface Terminal {
  /** Text, or raw bytes: a value need not be text. */
  out(text: string | Uint8Array): void;
  err(text: string): void;
  /** Whether the reader of the output has gone (`| head`): further output is dropped. */
  readonly isUnread?: () => boolean;
  /** Whether progress may redraw its line on the error stream. */
  readonly redraws: boolean;
  readonly columns: number;
  readonly env: Readonly<Record<string, string | undefined>>;
  now(): number;
  /** The verb is below `skep content`: a platform file may hold content's keys at its root (docs/contract/platform.md §2.1). */
  readonly contentRoot?: boolean;
}

/** 0 success, 1 failure, 2 wrong usage or configuration; `audit verify` uses 2 for incomplete logs and 3 for usage. */
export const EXIT = { ok: 0, failure: 1, usage: 2, verifyUsage: 3 } as const;

/** Ends a verb with a message and an exit code; any other error is a fault and shows its stack. */
export class CliError extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode: number = EXIT.failure) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** The variables of the process and its credentials of systemd. Throws CliError (usage) where those cannot be read. */
function environment(): Terminal['env'] {
  try {
    return withCredentials(process.env);
  } catch (error) {
    const mend = 'systemd sets it for a service that has LoadCredential=; elsewhere leave it unset';
    throw new CliError(`skep: CREDENTIALS_DIRECTORY: ${(error as Error).message}\n    ${mend}\n`, EXIT.usage);
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
  let env: Terminal['env'] | null = null;
  // A reader that closes the pipe early (EPIPE) is not an error; other errors are.
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
    get env() {
      return (env ??= environment());
    },
    now: () => performance.now(),
  };
}
