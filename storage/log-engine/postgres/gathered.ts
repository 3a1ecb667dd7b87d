/** Calls that come while a connection is busy, made together by the next statement: an opening takes many shards, and each change waits for two disks. Each call has an outcome of its own. */

/** Runs work when the connection is free; rejects where there is none. */
type Serial<S> = (run: (session: S) => Promise<void>) => Promise<void>;

export interface GatheredPorts<S, I, O> {
  readonly serial: Serial<S>;
  /** One outcome for each, in their order. What rejects, rejects for all: of none the outcome is known. */
  readonly run: (session: S, inputs: readonly I[]) => Promise<readonly O[]>;
  /** Whether one more can go with these. */
  readonly fits: (taken: readonly I[], next: I) => boolean;
}

interface Call<I, O> {
  readonly input: I;
  readonly resolve: (output: O) => void;
  readonly reject: (error: unknown) => void;
}

export class Gathered<S, I, O> {
  readonly #ports: GatheredPorts<S, I, O>;
  #waiting: Call<I, O>[] = [];

  constructor(ports: GatheredPorts<S, I, O>) {
    this.#ports = ports;
  }

  ask(input: I): Promise<O> {
    const { promise, resolve, reject } = Promise.withResolvers<O>();
    const call = { input, resolve, reject };
    this.#waiting.push(call);
    const run = async (session: S): Promise<void> => {
      if (this.#waiting.includes(call)) await this.#make(session); // otherwise an earlier statement took it along
    };
    this.#ports.serial(run).catch((error: unknown) => {
      // Where it was made its callers know already.
      this.#waiting = this.#waiting.filter((one) => one !== call);
      reject(error);
    });
    return promise;
  }

  async #make(session: S): Promise<void> {
    const calls = this.#take();
    try {
      const outputs = await this.#ports.run(
        session,
        calls.map(({ input }) => input),
      );
      for (const [at, { resolve }] of calls.entries()) resolve(outputs[at]!);
    } catch (error) {
      for (const { reject } of calls) reject(error);
      throw error;
    }
  }

  /** The first one, and those behind it that fit. */
  #take(): Call<I, O>[] {
    const taken: Call<I, O>[] = [];
    const left: Call<I, O>[] = [];
    for (const call of this.#waiting) {
      const inputs = taken.map(({ input }) => input);
      if (left.length === 0 && (taken.length === 0 || this.#ports.fits(inputs, call.input))) taken.push(call);
      else left.push(call);
    }
    this.#waiting = left;
    return taken;
  }
}
