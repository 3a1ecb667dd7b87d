/** Asks a provider which of its users has come back. Every failure in here comes from the provider or from the user's sign-in there, none from this node. */
import type { Configuration } from 'openid-client';
import type { Call } from '#actors/host/call.ts';
import type { Refusal } from '#actors/protocol/refusal.ts';
import { exchangeCode, type CodeAnswer, type Vouched } from './exchange-code.ts';
import { discoveryFailure, exchangeFailure } from './provider-failure.ts';
import type { Declared } from './provider-of.ts';
import type { Providers } from './providers.ts';
import type { StateRecord } from './store.ts';

/** Call it with a state that is spent: a replay must find none. */
export async function askProvider(
  providers: Providers,
  call: Call,
  { name, provider, hosts }: Declared,
  record: StateRecord,
  answer: CodeAnswer,
): Promise<Vouched | Refusal<'oauth_unavailable' | 'engine_unavailable' | 'oauth_failed'>> {
  let configuration: Configuration;
  try {
    configuration = await providers.configuration(provider, hosts);
  } catch (error) {
    return discoveryFailure(call.activation, name, error);
  }
  try {
    return await exchangeCode(configuration, provider, record, answer);
  } catch (error) {
    return exchangeFailure(call.activation, name, error);
  }
}
