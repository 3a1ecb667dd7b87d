/** One input at one target: how it ends. */
import type { Target } from './target.ts';

const MESSAGE_CHARS_MAX = 300;
/** Turns of the event loop after which an answer does not come any more: a count, so that it is the same on each machine. */
const TURNS_MAX = 20_000;

const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

/** Takes errors that no one caught for itself: of a thread of a node they are the end. */
export class Trial {
  readonly #before = process.listeners('uncaughtException');
  readonly #rejectedBefore = process.listeners('unhandledRejection');
  #uncaught: unknown = null;

  constructor() {
    for (const name of ['uncaughtException', 'unhandledRejection'] as const)
      process.removeAllListeners(name).on(name, (error: unknown) => (this.#uncaught ??= error));
  }

  [Symbol.dispose](): void {
    process.removeAllListeners('uncaughtException').removeAllListeners('unhandledRejection');
    for (const listener of this.#before) process.on('uncaughtException', listener);
    for (const listener of this.#rejectedBefore) process.on('unhandledRejection', listener);
  }

  /** What is wrong with how the target takes the input; null when it is taken or refused as declared. */
  async whyOf(target: Target, input: Buffer): Promise<string | null> {
    this.#uncaught = null;
    try {
      const running = target.run(Buffer.from(input));
      if (running !== undefined && !(await ends(running, target.waits === true))) return 'it never answers';
    } catch (error) {
      return textOf(error);
    }
    return this.#uncaught === null ? null : `nothing catches ${textOf(this.#uncaught)}`;
  }
}

async function ends(running: Promise<void>, waits: boolean): Promise<boolean> {
  let ended = false;
  const over = (): void => void (ended = true);
  running.then(over, over);
  if (waits) await Promise.allSettled([running]);
  // One turn more: errors of streams come behind the answer.
  for (let turns = 0; turns < TURNS_MAX; turns++) {
    await turn();
    if (ended) break;
  }
  if (ended) await running;
  return ended;
}

function textOf(error: unknown): string {
  if (!(error instanceof Error)) return `what is no Error: ${String(error)}`;
  const [, place = ''] = /\n\s+at (.*)/.exec(error.stack ?? '') ?? [];
  return `${error.name}: ${error.message.slice(0, MESSAGE_CHARS_MAX)} (${place})`;
}
