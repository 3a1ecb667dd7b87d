/** A call of a deployer or an operator at the tenant that its path names: data's rows answer it there (actors/protocol/relay.ts). */
import type { Call } from '#actors/host/call.ts';
import type { Method } from '#actors/protocol/method.ts';
import type { Position } from '#actors/protocol/position.ts';
import type { Refusal } from '#actors/protocol/refusal.ts';
import { principalOf, type Identity } from '../identity.ts';
import { refuse } from '../refusals.ts';

export interface Asked {
  /** The name of data's row. */
  readonly route: string;
  /** Path parameters after the tenant. */
  readonly params?: readonly string[];
  readonly method?: Method;
  /** Absent for a row that takes none. */
  readonly body?: object;
}

export interface Answered {
  readonly kind: 'answered';
  readonly status: number;
  readonly body: unknown;
}

/** Ends the turn and asks the tenant; a refusal of data is one of identity's here, with its message. */
export async function relayed(
  identity: Identity,
  call: Call,
  target: Position,
  { route, method = 'POST', params = [], body }: Asked,
): Promise<Answered | Refusal<'unknown_tenant' | 'product_refused' | 'deploy_failed'>> {
  const principal = principalOf(call);
  call.abort();
  const answer = await identity.deploys.relay.call(target.key, {
    route,
    method,
    params: [target.tenant, ...params].map(encodeURIComponent).join('\n'),
    query: '',
    requestId: call.requestId,
    body: body === undefined ? '' : Buffer.from(JSON.stringify(body)).toString('latin1'),
    principal,
  });
  if (answer === null) return refuse('unknown_tenant', { message: `no active tenant ${target.key}` });
  const value: unknown = JSON.parse(answer.text);
  if (answer.status < 300) return { kind: 'answered', status: answer.status, body: value };
  const { error: message = 'the tenant did not answer' } = value as { readonly error?: string };
  if (answer.status === 422) return refuse('product_refused', { message });
  const status = answer.status === 503 ? 503 : answer.status >= 500 ? 500 : 409;
  return refuse('deploy_failed', { message, status });
}
