/** The auth event bus. Spec, names included: docs/contract/identity.md §8.1. The default logger drops everything. */
import type { Personal } from '#actors/protocol/audit.ts';

export type AuthFlow =
  | 'apikey_issue'
  | 'apikey_revoke'
  | 'token_exchange'
  | 'bootstrap'
  | `session_${'list' | 'revoke' | 'rotate'}`
  | 'login'
  | 'refresh'
  | 'logout'
  | `password_${'reset' | 'confirm'}`
  | `magic_link_${'request' | 'consume'}`
  | `mfa_${'setup' | 'enable' | 'disable' | 'recovery'}`
  | 'webauthn_register'
  | `oauth_${'start' | 'callback'}`
  | `tenant_${'register' | 'provision'}`
  | 'impersonate';

export type AuthEventName =
  | `auth.${AuthFlow}.${'before' | 'after'}`
  | `auth.apikey.${'exchanged' | 'exchange_failed' | 'issued' | 'revoked' | 'rotated'}`
  | `auth.impersonation.${'started' | 'denied' | 'granted' | 'grant_revoked'}`
  | 'auth.keyring.rotated'
  | `auth.user.${'created' | 'changed'}`
  | `auth.session.${'opened' | 'ended' | 'rotated'}`;

/** Carries the audit record's fields that identity knows. Never a secret, a token or a password. */
export interface AuthEvent {
  readonly action: AuthEventName;
  /** RFC 3339. */
  readonly ts: string;
  /** Tenant key, or `''` when the request named none. */
  readonly tenant: string;
  /** Who acted: subject of the principal, the operator of an impersonation, whom a login has recognised, or `''`. */
  readonly actor: string;
  /** On whose behalf: the user who is impersonated. */
  readonly subject?: string;
  readonly session?: string;
  /** Address and e-mail: kept beside the log, where they can be erased. */
  readonly personal?: Personal;
  /** What is acted on: a key id, a user id, or `''`. */
  readonly target: string;
  /** `ok`, the code of the refusal, or `fault` when the host had to answer; empty before the end. */
  readonly outcome: string;
  readonly request_id: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export type EventLogger = (event: AuthEvent) => void;

export class EventBus {
  readonly #logger: EventLogger | undefined;
  /** Events that the logger threw on. */
  lost = 0;

  constructor(logger?: EventLogger) {
    this.#logger = logger;
  }

  /** Whether anybody would hear of an event. */
  get isHeard(): boolean {
    return this.#logger !== undefined;
  }

  /** Hands the event over. A logger that fails costs the event, never the call. */
  emit(event: AuthEvent): void {
    try {
      this.#logger?.(event);
    } catch {
      this.lost++;
    }
  }
}
