/** What the conditions of a rule give, each by itself: true or false, and no value that it was made of. */
import { FOLLOW } from '#actors/kit/rule-scope.ts';
import type { Rule, RuleFault, RulePart } from '#actors/kit/rule.ts';
import type { Slots } from '#actors/engine/rows/codec.ts';
import { Follower } from '#actors/engine/rows/follow.ts';
import type { EntityModel } from '#actors/engine/rows/model.ts';
import { scopeOf, type RequestView, type Session } from '#actors/engine/rows/session.ts';

/** `by_row`, `by_body`: what it reads was not given. `fails`: a rule with it may still allow by another condition. */
export interface PartVerdict {
  /** As it is written. */
  readonly text: string;
  readonly gives: 'true' | 'false' | 'fails' | 'by_row' | 'by_body';
  /** Why it fails, in words that hold nothing of its inputs; else null. */
  readonly why: string | null;
}

/** `request.data` in any spelling that CEL has for it. */
export const READS_BODY = /request\s*(?:\.\s*data\b|\[)/;

interface Asked {
  readonly session: Session;
  readonly model: EntityModel;
  readonly request: RequestView;
  /** Null where no row is named, or none is there. */
  readonly slots: Slots | null;
}

/** The conditions in their order. Throws OutOfFuel when the turn's fuel is gone. */
export function partsOf(rule: Rule | null, { session, model, request, slots }: Asked): readonly PartVerdict[] {
  const scope = scopeOf(session, request);
  if (slots !== null) scope.row = model.shape(slots);
  const waits = request.data === null && (request.operation === 'create' || request.operation === 'update');
  return (rule?.parts() ?? []).map((part): PartVerdict => {
    const { text } = part;
    if (part.rule.usesRow && slots === null) return { text, gives: 'by_row', why: null };
    if (waits && READS_BODY.test(text)) return { text, gives: 'by_body', why: null };
    const follower = part.rule.follows ? new Follower(session, model, null) : null;
    if (follower !== null) scope[FOLLOW] = follower.follow;
    const verdict = verdictOf(part, scope);
    follower?.check();
    return verdict;
  });
}

function verdictOf({ text, rule }: RulePart, scope: Parameters<Rule['allows']>[0]): PartVerdict {
  let fault: RuleFault | null = null;
  const isTrue = rule.allows(scope, (one) => void (fault = one));
  const why = (fault as RuleFault | null)?.why ?? null;
  return { text, gives: why === null ? (isTrue ? 'true' : 'false') : 'fails', why };
}
