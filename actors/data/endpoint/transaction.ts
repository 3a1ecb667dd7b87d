/**
 * One run of a script as the data sees it. A turn is synchronous and a script is not: between two calls of the host other turns of
 * the tenant run. So each call begins a turn of its own in which what the script did before is done again, and the last turn does it
 * all and commits, provided that every call gives what it gave before. Where it does not, somebody else was there: the script runs
 * anew. A script that only reads commits nothing, and each of its reads is as fresh as a request's.
 */
import { limits } from '#config/limits.ts';
import type { Call } from '#actors/host/call.ts';
import type { EndpointDefinition } from '#config/definitions/product.ts';
import { failure, isFailure } from '../entity/failure.ts';
import type { Failure } from '../entity/failure.ts';
import type { Session } from '../entity/session.ts';
import { claimKey } from '../idempotency/replay.ts';
import { operate, WRITES } from './operations.ts';

interface Done {
  readonly name: string;
  readonly args: readonly unknown[];
  /** Ids and random bytes that it drew. */
  readonly draws: readonly (string | Buffer)[];
  readonly given: string;
}

export class ScriptTransaction {
  readonly #call: Call;
  readonly #session: Session;
  readonly #kind: EndpointDefinition['kind'];
  readonly #done: Done[] = [];
  #writes = 0;
  #calls = 0;
  #isConflicted = false;
  /** What to draw again; then it is drawn anew, and noted. */
  #again: (string | Buffer)[] = [];
  #drawn: (string | Buffer)[] = [];

  /** `session`: the caller's, whose clock stands still while the script runs. */
  constructor(call: Call, session: Session, kind: EndpointDefinition['kind']) {
    this.#call = call;
    this.#kind = kind;
    this.#session = {
      ...session,
      ids: { next: () => this.#draw(() => session.ids.next()) },
      random: (bytes) => this.#draw(() => session.random(bytes)),
    };
  }

  /** Does one operation and gives its JSON text, or why not. */
  async ask(name: string, args: readonly unknown[]): Promise<string | Failure> {
    if (++this.#calls > limits.scripts.hostCallsMax)
      return failure(422, `more than ${limits.scripts.hostCallsMax} calls`);
    if (this.#isConflicted) return failure(422, 'the rows that were read have changed');
    const writes = WRITES.has(name);
    if (writes && this.#kind === 'query') return failure(403, 'a query endpoint changes nothing');
    if (writes && this.#writes >= limits.scripts.writesMax)
      return failure(422, `more than ${limits.scripts.writesMax} changes`);
    this.#call.nextTurn();
    if (this.#writes > 0 && !this.#repeat()) {
      this.#call.abort();
      return failure(422, 'the rows that were read have changed');
    }
    const given = this.#operate(name, args, []);
    if (!(given instanceof Promise)) return this.#note(name, args, given, writes);
    if (this.#kind === 'query') return given;
    void given.catch(() => undefined);
    this.#call.abort();
    return failure(422, 'this looks at more rows than a script that may write can');
  }

  /** Makes the changes, whole or not at all; false when somebody else was there, and the script must run anew. */
  commit(): boolean {
    if (this.#isConflicted) return false;
    if (this.#writes === 0) return true;
    this.#call.nextTurn();
    if (!this.#repeat()) {
      this.#call.abort();
      return false;
    }
    claimKey(this.#call);
    this.#call.commit();
    return true;
  }

  get isConflicted(): boolean {
    return this.#isConflicted;
  }

  /** What failed left nothing behind: the turn is dropped, and it is not done again. */
  #note(name: string, args: readonly unknown[], given: string | Failure, writes: boolean): string | Failure {
    this.#call.abort();
    if (isFailure(given)) return given;
    if (this.#kind === 'mutate') this.#done.push({ name, args, draws: this.#drawn, given });
    if (writes) this.#writes++;
    return given;
  }

  #operate(name: string, args: readonly unknown[], again: Done['draws']): ReturnType<typeof operate> {
    this.#again = [...again];
    this.#drawn = [];
    return operate(this.#session, this.#call.method, name, args);
  }

  /** All that was done, again; false when something gives another answer. */
  #repeat(): boolean {
    for (const { name, args, draws, given } of this.#done) {
      if (this.#operate(name, args, draws) === given) continue;
      this.#isConflicted = true;
      return false;
    }
    return true;
  }

  #draw<T extends string | Buffer>(fresh: () => T): T {
    const drawn = (this.#again.shift() as T | undefined) ?? fresh();
    this.#drawn.push(drawn);
    return drawn;
  }
}
