/** The same call again, for as long as its outcome is unknown: the port promises that this settles it. */
import { OutcomeUnknown } from './port.ts';

/** Rejects with what else the call rejects with. `pause` lies between two calls, and rejects when the caller gives up. */
export async function untilKnown<T>(call: () => Promise<T>, pause: () => Promise<void>): Promise<T> {
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof OutcomeUnknown)) throw error;
    }
    await pause();
  }
}
