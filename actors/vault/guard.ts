/** Turns errors from below a verb into the contract's refusals. */
import type { Call } from '#actors/host/call.ts';
import type { Refusal } from '#actors/protocol/refusal.ts';
import { RETRY_SOON } from '#actors/protocol/retry-after.ts';
import { EnvelopeBroken, EnvelopeKeyMissing } from './seal/envelope.ts';
import { AuditUnavailable } from './event/events.ts';
import { RolledBack } from './seal/high-water.ts';
import { refuse } from './refusals.ts';
import { Sealed } from './seal/seal.ts';
import { BackendDown } from './store.ts';

type Fault =
  | 'vault-not-connected'
  | 'vault.sealed'
  | 'vault.rolled_back'
  | 'vault.audit_unavailable'
  | 'vault.envelope_broken'
  | 'vault.envelope_key_missing';

/** Runs a verb; known errors that it throws become refusals. */
export function guarded<O>(verb: (call: Call) => O | Promise<O>): (call: Call) => Promise<O | Refusal<Fault>> {
  return async (call) => {
    try {
      return await verb(call);
    } catch (error) {
      const refusal = faultOf(error);
      if (refusal === null) throw error;
      return refusal;
    }
  };
}

function faultOf(error: unknown): Refusal<Fault> | null {
  if (error instanceof BackendDown) return refuse('vault-not-connected', { headers: RETRY_SOON });
  if (error instanceof Sealed) return refuse('vault.sealed');
  if (error instanceof RolledBack) return refuse('vault.rolled_back');
  if (error instanceof AuditUnavailable) return refuse('vault.audit_unavailable');
  if (error instanceof EnvelopeKeyMissing) return refuse('vault.envelope_key_missing', { message: error.message });
  if (error instanceof EnvelopeBroken) return refuse('vault.envelope_broken', { message: error.message });
  return null;
}
