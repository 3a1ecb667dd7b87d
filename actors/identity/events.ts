/** The auth event bus. Spec, with the names: docs/contract/identity.md §8.1. Without a logger every event is dropped. */
import type { Personal } from '#actors/protocol/audit.ts';

export type AuthFlow =
  | 'apikey_issue'
  | `apikey_${'revoke' | 'list' | 'change'}`
  | 'token_exchange'
  | 'bootstrap'
  | `session_${'list' | 'revoke' | 'rotate'}`
  | 'login'
  | 'refresh'
  | 'logout'
  | `password_${'reset' | 'confirm'}`
  | `magic_link_${'request' | 'consume'}`
  | 'token_revoke'
  | `code_${'request' | 'consume'}`
  | `mfa_${'setup' | 'enable' | 'disable' | 'recovery'}`
  | `webauthn_${'register' | 'login' | 'list' | 'change' | 'remove'}`
  | `oauth_${'start' | 'callback'}`
  | `tenant_${'register' | 'provision' | 'plan' | 'plan_show' | 'plan_apply' | 'locks' | 'lock_release' | 'seeds' | 'seed_run' | 'retention' | 'retention_run'}`
  | 'impersonate'
  | `node_${'buckets' | 'cluster' | 'figures' | 'health' | 'configuration' | 'load' | 'slow' | 'logs' | 'tenants' | 'vault'}`
  | `deploy_${'tenants' | 'revision' | 'plan' | 'apply'}`
  | `user_${'list' | 'show' | 'add' | 'import' | 'export' | 'erase' | 'erasures' | 'change' | 'remove' | 'reset_factor' | 'send_reset' | 'sessions' | 'end_sessions' | 'unlink_provider'}`
  | 'role_list'
  | `sign_up_${'request' | 'confirm'}`
  | 'guest_create'
  | `invitation_${'create' | 'list' | 'delete'}`
  | 'proof'
  | `provider_${'list' | 'start' | 'link' | 'unlink'}`
  | `account_${'upgrade' | 'change' | 'password' | 'email' | 'email_confirm' | 'delete' | 'export' | 'session_list' | 'session_end'}`;

export type AuthEventName =
  | `auth.${AuthFlow}.${'before' | 'after'}`
  | `auth.apikey.${'exchanged' | 'exchange_failed' | 'issued' | 'changed' | 'revoked' | 'rotated'}`
  | `auth.impersonation.${'started' | 'denied' | 'granted' | 'grant_revoked'}`
  | 'auth.keyring.rotated'
  | `auth.user.${'created' | 'changed' | 'removed' | 'erased'}`
  | 'auth.passkey.clone_suspected'
  | `auth.session.${'opened' | 'ended' | 'rotated'}`;

/** The fields of an audit record that identity knows; never a secret, a token or a password. */
export interface AuthEvent {
  readonly action: AuthEventName;
  /** RFC 3339. */
  readonly ts: string;
  /** Tenant key, or `''` when the request named none. */
  readonly tenant: string;
  /** The subject of the principal, the operator of an impersonation, the user of a login, or `''`. */
  readonly actor: string;
  /** The impersonated user. */
  readonly subject?: string;
  readonly session?: string;
  /** IP address and e-mail address: stored beside the log, where they can be erased. */
  readonly personal?: Personal;
  /** The object of the action: a key id, a user id, or `''`. */
  readonly target: string;
  /** `ok`, the code of the refusal, or `fault` when the handler threw; empty before the end. */
  readonly outcome: string;
  readonly request_id: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export type EventLogger = (event: AuthEvent) => void;

export class EventBus {
  readonly #logger: EventLogger | undefined;
  /** Events that were lost because the logger threw. */
  lost = 0;

  constructor(logger?: EventLogger) {
    this.#logger = logger;
  }

  /** Whether there is a logger. */
  get isHeard(): boolean {
    return this.#logger !== undefined;
  }

  /** Gives the event to the logger. When the logger throws, the event is lost and the call goes on. */
  emit(event: AuthEvent): void {
    try {
      this.#logger?.(event);
    } catch {
      this.lost++;
    }
  }
}
