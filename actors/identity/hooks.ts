/** Hooks of the auth flows. They are part of the program: a product cannot supply any (docs/contract/identity.md §8.2). */
import type { Refusal } from '#actors/protocol/refusal.ts';
import type { Principal } from '#actors/protocol/principal.ts';
import { refuse } from './refusals.ts';
import type { Capabilities } from './shapes.ts';

export type Pointcut = 'before_apikey_issue' | 'before_apikey_revoke';

export interface JoinPoint {
  readonly tenant: string;
  readonly principal: Principal;
  /** The key to be revoked. */
  readonly keyId?: string;
  /** The service tag of the key to be issued; its capabilities are below. */
  readonly service?: string;
  readonly capabilities?: Capabilities;
}

export interface Hook {
  readonly at: Pointcut;
  /** Throws to refuse the call; the caller gets the error's message. */
  run(join: JoinPoint): void;
}

/** The hooks of this program. None yet. */
const EMBEDDED_HOOKS: readonly Hook[] = [];

export class Hooks {
  readonly #hooks: readonly Hook[];

  constructor(hooks: readonly Hook[] = EMBEDDED_HOOKS) {
    this.#hooks = hooks;
  }

  /** Runs the hooks of a pointcut in order. The first that throws is the refusal `hook_denied` with its message. */
  run(at: Pointcut, join: JoinPoint): Refusal<'hook_denied'> | null {
    for (const hook of this.#hooks) {
      if (hook.at !== at) continue;
      try {
        hook.run(join);
      } catch (error) {
        return refuse('hook_denied', { message: error instanceof Error ? error.message : String(error) });
      }
    }
    return null;
  }
}
