/** What an awake tenant keeps of its sessions: its registry, and the rules of its product (decisions.md "Data": `sessions`). */
import { limits } from '#config/limits.ts';
import type { Activation } from '#actors/host/activation.ts';
import { SESSION_GATE } from '#actors/kit/session-gate.ts';
import type { SessionGate } from '#actors/kit/session-gate.ts';
import type { SessionRegistry } from './registry.ts';

export class TenantSessions implements SessionGate {
  readonly registry: SessionRegistry;
  readonly managed: boolean;
  /** Sessions that one principal may have at once. */
  readonly max: number;
  readonly onLimit: 'reject' | 'evict_oldest';

  constructor(registry: SessionRegistry, settings: Activation['product']['settings']['sessions']) {
    this.registry = registry;
    this.managed = settings?.mode === 'managed';
    this.max = settings?.max ?? limits.session.perPrincipalMax;
    this.onLimit = settings?.on_limit ?? 'evict_oldest';
  }

  get newest(): number {
    return this.registry.newest;
  }

  lives(sid: string, subject: string, nowMs: number): boolean {
    return this.registry.lives(sid, subject, nowMs);
  }
}

/** The sessions of a tenant that is awake. */
export function sessionsOf(activation: Activation): TenantSessions {
  return activation.parts.get(SESSION_GATE) as TenantSessions;
}
