/** Whether an operation of a store or an app is allowed: its rule, or the posture of the platform file when it has none (docs/contract/content.md §3.4). */
import type { Call } from '#actors/host/call.ts';
import type { Rule, RuleFault } from '#actors/kit/rule.ts';
import { ANONYMOUS, type Principal } from '#actors/protocol/principal.ts';
import { end } from './refused.ts';

/** Inputs of a rule besides the principal. */
export interface Asked {
  readonly operation: string;
  /** Name of the store or the app. */
  readonly of: string;
  readonly id?: string;
  /** The fields that are to be written. */
  readonly data?: object;
  readonly row?: object | null;
}

export interface Judge {
  readonly rules: ReadonlyMap<string, Rule>;
  /** Whether an operation without a rule is allowed. */
  readonly open: boolean;
  /** Whether a rule does not compile: then no rule is evaluated, and nothing is served. */
  readonly faulty: boolean;
}

const LOOKS = /^(?:read|download)|^preview$/;

const principalOf = (call: Call): Principal => call.principal ?? ANONYMOUS;

/** 403, or 401 without a credential, unless the operation is allowed. */
export function demand(call: Call, judge: Judge, asked: Asked): void {
  if (isAllowed(call, judge, asked)) return;
  if (call.principal === null) end('content.unauthorized');
  end('content.forbidden', { message: `${asked.operation} on ${asked.of} is not allowed` });
}

export function isAllowed(call: Call, { rules, open }: Judge, asked: Asked): boolean {
  const principal = principalOf(call);
  if (principal.type === 'internal') return true;
  if (principal.readonly && !LOOKS.test(asked.operation)) return false;
  const rule = rules.get(asked.operation);
  if (rule === undefined) return open || principal.superadmin;
  const { type, subject, tenant, roles, scope, superadmin, sid, actor } = principal;
  const method = call.method === 'HEAD' ? 'GET' : call.method;
  const request = { method, operation: asked.operation, of: asked.of, id: asked.id ?? null, data: asked.data ?? null };
  const seen = {
    principal: { type, subject, tenant, roles, scope, superadmin, sid, actor },
    row: asked.row ?? null,
    request,
    now: new Date(call.activation.context.clock.now()),
  };
  let why: RuleFault | null = null;
  const allowed = rule.allows(seen, (fault) => void (why = fault));
  if (!allowed) logDenial(call, asked, why);
  return allowed;
}

/** Log lines hold nothing of the asset or of the request's values. A rule that burns too much is a warning: the operator must change it. */
function logDenial(call: Call, { operation, of }: Asked, fault: RuleFault | null): void {
  const { context, position } = call.activation;
  const fields = { service: 'content', tenant: position.key, of, operation, subject: principalOf(call).subject };
  if (fault === null) context.log.debug?.(fields, 'a rule denied a request');
  else {
    const { where, part, why, tooCostly } = fault;
    const failed = { ...fields, rule: where, part, error: why };
    if (tooCostly)
      context.log.warn(
        failed,
        'a rule denied a request since it burns more than one evaluation may: change the rule so that it looks at less',
      );
    else context.log.debug?.(failed, 'a rule denied a request since it failed');
  }
}

/** Whether the rule can be asked before the body is read. */
export function isKnownEarly({ rules }: Judge, operation: string): boolean {
  return rules.get(operation)?.usesPrincipalOnly ?? true;
}
