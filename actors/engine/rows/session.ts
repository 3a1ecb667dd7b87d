/** One call: its principal, what rules see of the request, and the views it reads and writes. */
import type { FineClock } from '#actors/kit/clock.ts';
import type { RuleFault } from '#actors/kit/rule.ts';
import type { IdSource } from '#actors/kit/id.ts';
import type { RuleScope } from '#actors/kit/rule-scope.ts';
import type { Principal } from '#actors/protocol/principal.ts';
import type { EntityModel } from './model.ts';
import type { MoveScripts } from './move-scripts.ts';
import type { Snapshot, Turn } from './store.ts';

/** What a rule sees as `request`. */
export interface RequestView {
  readonly method: string;
  readonly operation: string;
  readonly entity: string;
  readonly id: unknown;
  /** The body of a write, null on reads. */
  readonly data: unknown;
}

/** A denial by a rule, for the operator's log; holds no value of the row or of the request. */
export interface Denial {
  readonly entity: string;
  readonly operation: string;
  /** Why the rule failed; null where it gave false, or where there is no rule. */
  readonly fault: RuleFault | null;
  /** `hidden`: the caller gets no row instead of a refusal. */
  readonly outcome?: 'hidden';
  /** What denied: `access.update`, `row_rule`, `roles` of a field; asked for only where the line is written. */
  readonly why?: () => string;
  /** The key of the row, as the request names it. */
  readonly row?: unknown;
}

export interface Session {
  readonly principal: Principal;
  readonly clock: FineClock;
  readonly ids: Pick<IdSource, 'next'>;
  random(bytes: number): Buffer;
  /** The turn in which this call reads and writes. Throws TenantHeld when the call has waited and another mutation holds the tenant now. */
  turn(): Turn;
  /** Holds the tenant for this session until its turn ends, so that a mutation can be staged in several slices. */
  hold(): void;
  /** A frozen view for a scan in slices; the reply waits until what the view showed is durable. */
  snapshot(): Snapshot;
  /** The turn itself reads one snapshot, so that a read that began in it can go on in slices. */
  readonly frozen?: true;
  /** Before the first slice of long work: waits behind the tenant's long work that waits already; null when there is none. */
  beginSlices(): Promise<void> | null;
  /** Lets other turns of this thread run. */
  yieldTurn(): Promise<void>;
  model(entity: string): EntityModel | undefined;
  /** Reports a denial to the operator; absent where denials are not logged. */
  denied?(denial: Denial): void;
  /** Runs the scripts of stateflows; absent where a write cannot wait for one. */
  readonly scripts?: MoveScripts;
}

/** A session with some members replaced. Not by spreading: the session of a call is an instance of a class. */
export function sessionWith(base: Session, changes: Partial<Session>): Session {
  return {
    principal: base.principal,
    clock: base.clock,
    ids: base.ids,
    random: (bytes) => base.random(bytes),
    turn: () => base.turn(),
    hold: () => base.hold(),
    snapshot: () => base.snapshot(),
    beginSlices: () => base.beginSlices(),
    yieldTurn: () => base.yieldTurn(),
    model: (entity) => base.model(entity),
    denied: (denial) => base.denied?.(denial),
    ...(base.scripts !== undefined && { scripts: base.scripts }),
    ...changes,
  };
}

const views = new WeakMap<Principal, object>();

/** The principal as rules see it: plain, one shape, made once. */
function principalView(principal: Principal): object {
  let view = views.get(principal);
  if (view === undefined) {
    const { type, subject, tenant, roles, scope, superadmin, sid, actor } = principal;
    view = { type, subject, tenant, roles, scope, superadmin, sid, actor };
    views.set(principal, view);
  }
  return view;
}

/** A scope without a row; `row` is set for each row on which a rule is evaluated. */
export function scopeOf(session: Session, request: RequestView): { -readonly [K in keyof RuleScope]: RuleScope[K] } {
  return { principal: principalView(session.principal), row: null, request, now: new Date(session.clock.now()) };
}
