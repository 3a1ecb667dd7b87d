/** The same call again, for as long as its outcome is unknown: the port promises that this settles it. */
import { OutcomeUnknown } from './port.ts';

/** Lies between two calls of which the first had no outcome, for the reason given; rejects when the caller gives up. */
export type Pause = (why: OutcomeUnknown) => Promise<void>;

/** Rejects with what else the call rejects with. */
export async function untilKnown<T>(call: () => Promise<T>, pause: Pause): Promise<T> {
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof OutcomeUnknown)) throw error;
      await pause(error);
    }
  }
}
