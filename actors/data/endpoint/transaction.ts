/**
 * One run of an endpoint's script as a transaction: its changes are committed, all or none, once it has answered. A script that only reads
 * commits nothing, and each of its reads is as fresh as a request's.
 */
import { limits } from '#config/limits.ts';
import type { Call } from '#actors/host/call.ts';
import type { EndpointDefinition } from '#config/definitions/product.ts';
import type { NestedScript } from '#actors/kit/jobs.ts';
import { failure, type Failure } from '#actors/engine/rows/failure.ts';
import { SchemaMoved } from '#actors/engine/rows/schema-moved.ts';
import { claimKey } from '#actors/host/idempotency/replay.ts';
import { sessionOf } from '../rest/session.ts';
import { Conversation } from '../script/conversation.ts';
import { isWrite, operateOf, ungoverned } from '../script/operate.ts';
import { Conflicted, Replay, ScriptWanted, type Operate, type Run } from '../script/replay.ts';

export class ScriptTransaction {
  readonly script: NestedScript;
  readonly conversation: Conversation;
  readonly #call: Call;
  readonly #kind: EndpointDefinition['kind'];
  readonly #operate: Operate;
  readonly #replay: Replay;
  readonly #run: Run;
  #writes = 0;
  #isConflicted = false;

  constructor(call: Call, { kind, source, path, runAs }: EndpointDefinition, request: string) {
    this.#call = call;
    this.#kind = kind;
    this.#operate = operateOf(call);
    this.#replay = new Replay(sessionOf(call), this.#operate, runAs);
    this.script = { source, name: `${path}.js`, request };
    this.#run = { script: this.script, steps: [], result: null };
    const refuse = (name: string, args: readonly unknown[]) => this.#refuse(name, args);
    const aside = kind === 'query' ? (name: string, args: readonly unknown[]) => this.#read(name, args) : null;
    this.conversation = new Conversation({ call, attempt: () => this.#attempt(), refuse, aside }, this.#run);
  }

  get isConflicted(): boolean {
    return this.#isConflicted || this.conversation.isConflicted;
  }

  /**
   * Commits the changes, all or none, with what `beside` stages; false where another request changed what the script read, and it must run anew.
   */
  commit(beside: (() => void) | null = null): boolean {
    if (this.#writes === 0 && beside === null) return true;
    this.#call.nextTurn();
    try {
      this.#attempt();
    } catch (error) {
      if (!isOvertaken(error)) throw error;
      this.#isConflicted = true;
      this.#call.abort();
      return false;
    }
    claimKey(this.#call);
    beside?.();
    this.#call.commit();
    return true;
  }

  #attempt(): void {
    this.#replay.begin();
    this.#replay.repeat(this.#run);
  }

  #refuse(name: string, args: readonly unknown[]): Failure | null {
    if (isWrite(name, args)) {
      if (this.#kind === 'query') return failure(403, 'a query endpoint changes nothing');
      if (++this.#writes > limits.scripts.writesMax)
        return failure(422, `more than ${limits.scripts.writesMax} changes`);
    }
    return ungoverned(this.#call, name, args);
  }

  async #read(name: string, args: readonly unknown[]): Promise<string | Failure> {
    this.#call.nextTurn();
    const given = await this.#operate(this.#replay.session, name, args);
    this.#call.abort();
    return given;
  }
}

/** A step gave another result than before, wants a script that it did not cause before, or finds another schema. */
const isOvertaken = (error: unknown): boolean =>
  error instanceof Conflicted || error instanceof ScriptWanted || error instanceof SchemaMoved;
