/** The sessions of an awake tenant: its registry, and the rules of its product (docs/contract/data-definitions.md §3: `sessions`). */
import { limits } from '#config/limits.ts';
import type { Activation } from '#actors/host/activation.ts';
import { Part } from '#actors/host/part.ts';
import { SESSION_GATE } from '#actors/host/service-kit.ts';
import type { SessionGate } from '#actors/kit/session-gate.ts';
import type { SessionRegistry } from './registry.ts';

type Rules = Activation['product']['settings']['sessions'];

export class TenantSessions implements SessionGate {
  readonly registry: SessionRegistry;
  readonly since: number;
  #rules: Rules;

  constructor(registry: SessionRegistry, rules: Rules, since = 0) {
    this.registry = registry;
    this.since = since;
    this.#rules = rules;
  }

  /** Takes new rules for sessions that are opened from now on. */
  obey(rules: Rules): void {
    this.#rules = rules;
  }

  get managed(): boolean {
    return this.#rules?.mode === 'managed';
  }

  /** Sessions that one principal may have at once. */
  get max(): number {
    return this.#rules?.max ?? limits.session.perPrincipalMax;
  }

  get onLimit(): 'reject' | 'evict_oldest' {
    return this.#rules?.on_limit ?? 'evict_oldest';
  }

  get newest(): number {
    return this.registry.newest;
  }

  onEnded(then: () => void): void {
    this.registry.onEnded(then);
  }

  lives(sid: string, subject: string, nowMs: number): boolean {
    return this.registry.lives(sid, subject, nowMs);
  }
}

const SESSIONS = new Part<TenantSessions>('sessions');

/** What every service asks of the sessions, and identity itself. */
export function setSessions(activation: Activation, sessions: TenantSessions): void {
  SESSIONS.set(activation, sessions);
  SESSION_GATE.set(activation, sessions);
}

/** The sessions of a tenant that is awake. */
export function sessionsOf(activation: Activation): TenantSessions {
  return SESSIONS.of(activation);
}
