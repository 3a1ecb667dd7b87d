/** Failures of a provider: the caller gets no details; the log line has them, without code, token or secret. */
import type { Activation } from '#actors/host/activation.ts';
import { OutboundFault } from '#actors/kit/outbound/fault.ts';
import type { Refusal } from '#actors/protocol/refusal.ts';
import { busy, challenge, refuse } from '../refusals.ts';

type Outage = Refusal<'oauth_unavailable' | 'engine_unavailable'>;

/** The library's codes for an answer whose fault is the provider's, not the user's. */
const BROKEN: ReadonlySet<string> = new Set([
  'OAUTH_RESPONSE_IS_NOT_CONFORM',
  'OAUTH_RESPONSE_IS_NOT_JSON',
  'OAUTH_PARSE_ERROR',
  'OAUTH_MISSING_SERVER_METADATA',
  'OAUTH_INVALID_SERVER_METADATA',
]);

/** Every failure while the provider's metadata are read is the provider's. */
export function discoveryFailure(activation: Activation, provider: string, error: unknown): Outage {
  return outage(activation, provider, error) ?? refuse('oauth_unavailable', { status: 502 });
}

/** `oauth_failed` when the provider refused the sign-in, or when a check of its ID token failed; the outage otherwise. */
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
  if (fault.why === 'busy') return busy();
  return refuse('oauth_unavailable', { status: fault.why === 'deadline' ? 504 : 502 });
}

/** The library wraps what its fetch threw. */
function outboundFault(error: unknown): OutboundFault | null {
  for (let at: unknown = error; at instanceof Error; at = at.cause) if (at instanceof OutboundFault) return at;
  return null;
}

/** RFC 6749 §5.2: only `invalid_grant` concerns the user's code; the other errors concern the client or the server. */
function isBroken(error: unknown): boolean {
  const { code, error: said } = error as { code?: unknown; error?: unknown };
  if (code === 'OAUTH_RESPONSE_BODY_ERROR') return said !== 'invalid_grant';
  return typeof code === 'string' && BROKEN.has(code);
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
