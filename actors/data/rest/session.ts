/** A request as the engine sees it. */
import type { Call } from '#actors/host/call.ts';
import { SlicePlace } from '#actors/host/pace/slice-ring.ts';
import type { Work } from '#actors/host/work.ts';
import { ANONYMOUS, type Principal } from '#actors/protocol/principal.ts';
import type { EntityModel } from '#actors/engine/rows/model.ts';
import type { Models } from '#actors/engine/rows/models.ts';
import { Parameters } from '#actors/engine/rows/parameters.ts';
import type { Denial, RequestView, Session } from '#actors/engine/rows/session.ts';
import type { Snapshot, Turn } from '#actors/engine/rows/store.ts';
import { logDenial } from './log-denial.ts';
import { servedModels } from '../part.ts';

const NO_PARAMETERS = new Parameters(new URLSearchParams());

/** The parameters of a call; most have none. */
export function parametersOf(call: Call): Parameters {
  return call.rawQuery === '' ? NO_PARAMETERS : new Parameters(call.query);
}

const replaced = new WeakMap<Call, Session>();

/** Gives a call another session from here on, whose work can be replayed. */
export function useSession(call: Call, session: Session): void {
  replaced.set(call, session);
}

/** The session of a call at its tenant. */
export function sessionOf(call: Call): Session {
  const own = replaced.get(call);
  if (own !== undefined) return own;
  return sessionAs(call, call.principal ?? ANONYMOUS, servedModels(call.activation));
}

/** The session of any work on a tenant, in a principal's name. */
export function sessionAs(work: Work, principal: Principal, models: Models): Session {
  return new WorkSession(work, principal, models);
}

/** Every call makes one: a class, since an object of closures costs a closure for each member. */
class WorkSession implements Session {
  readonly principal: Principal;
  readonly #work: Work;
  readonly #models: Models;
  #place: SlicePlace | null = null;

  constructor(work: Work, principal: Principal, models: Models) {
    this.principal = principal;
    this.#work = work;
    this.#models = models;
  }

  get clock(): Session['clock'] {
    return this.#work.activation.context.clock;
  }

  get ids(): Session['ids'] {
    return this.#work.activation.context.ids;
  }

  random(bytes: number): Buffer {
    return this.#work.activation.context.random(bytes);
  }

  turn(): Turn {
    const work = this.#work;
    work.activation.exclusive.check(work);
    return work.turn();
  }

  hold(): void {
    this.#work.activation.exclusive.take(this.#work);
  }

  snapshot(): Snapshot {
    const snapshot = this.#work.activation.store.snapshot();
    this.#work.saw(snapshot.newest);
    return snapshot;
  }

  beginSlices(): Promise<void> | null {
    return this.#placed().begin(this.#work.activation.tenantNo);
  }

  #placed(): SlicePlace {
    return (this.#place ??= new SlicePlace());
  }

  async yieldTurn(): Promise<void> {
    const { exclusive, tenantNo } = this.#work.activation;
    await this.#placed().next(tenantNo);
    if (!exclusive.isHeldBy(this.#work)) await new Promise<void>((resolve) => exclusive.whenFree(resolve));
  }

  model(entity: string): EntityModel | undefined {
    return this.#models.get(entity)?.seenBy(this.principal);
  }

  denied(denial: Denial): void {
    logDenial(this.#work.activation, this.principal, denial);
  }
}

/** What rules see of a call; HEAD counts as GET. */
export function requestOf(call: Call, operation: string, id: unknown, data: unknown): RequestView {
  const method = call.method === 'HEAD' ? 'GET' : call.method;
  return { method, operation, entity: call.param('entity'), id, data };
}
