/** What a caller learns of a provider that fails: that it did, never how. The log line says more, but no code, token or secret. */
import type { Activation } from '#actors/host/activation.ts';
import { limits } from '#config/limits.ts';
import { OutboundFault } from '#actors/kit/outbound/fault.ts';
import type { Refusal } from '#actors/protocol/refusal.ts';
import { challenge, refuse } from '../refusals.ts';

type Outage = Refusal<'oauth_unavailable' | 'engine_unavailable'>;

/** What the library calls an answer that says something about the provider, not about the user. */
const BROKEN: ReadonlySet<string> = new Set([
  'OAUTH_RESPONSE_IS_NOT_CONFORM',
  'OAUTH_RESPONSE_IS_NOT_JSON',
  'OAUTH_PARSE_ERROR',
  'OAUTH_MISSING_SERVER_METADATA',
  'OAUTH_INVALID_SERVER_METADATA',
]);

/** While the provider's metadata are read every fault is the provider's. */
export function discoveryFailure(activation: Activation, provider: string, error: unknown): Outage {
  return outage(activation, provider, error) ?? refuse('oauth_unavailable', { status: 502 });
}

/** `oauth_failed` when the provider answered and did not vouch for the user, or when what it sent does not hold. */
export function exchangeFailure(
  activation: Activation,
  provider: string,
  error: unknown,
): Outage | Refusal<'oauth_failed'> {
  const out = outage(activation, provider, error);
  if (out !== null) return out;
  return isBroken(error) ? refuse('oauth_unavailable', { status: 502 }) : challenge('oauth_failed');
}

function outage(activation: Activation, provider: string, error: unknown): Outage | null {
  const fault = outboundFault(error);
  const { code, error: said } = error as { code?: unknown; error?: unknown };
  const why = fault === null ? `${String(error)} ${textOf(code)} ${textOf(said)}`.trim() : fault.message;
  activation.context.log.warn({ service: 'identity', provider, error: why }, 'sign-in with a provider failed');
  if (fault === null) return null;
  if (fault.why === 'busy')
    return refuse('engine_unavailable', {
      status: 503,
      headers: { 'Retry-After': String(limits.host.retryAfterSeconds) },
    });
  return refuse('oauth_unavailable', { status: fault.why === 'deadline' ? 504 : 502 });
}

/** The library wraps what its fetch threw. */
function outboundFault(error: unknown): OutboundFault | null {
  for (let at: unknown = error; at instanceof Error; at = at.cause) if (at instanceof OutboundFault) return at;
  return null;
}

/** RFC 6749 §5.2: only `invalid_grant` speaks of what the user brought; the other errors speak of the client or the server. */
function isBroken(error: unknown): boolean {
  const { code, error: said } = error as { code?: unknown; error?: unknown };
  if (code === 'OAUTH_RESPONSE_BODY_ERROR') return said !== 'invalid_grant';
  return typeof code === 'string' && BROKEN.has(code);
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
