/** Which channel a request means (docs/contract/channels.md §2), and whether its caller may join it or send to it. */
import type { ChannelCallers, ChannelDefinition } from '#config/definitions/channels-section.ts';
import { limits } from '#config/limits.ts';
import type { Activation } from '#actors/host/activation.ts';
import type { Call } from '#actors/host/call.ts';
import { Work } from '#actors/host/work.ts';
import { shown } from '#actors/kit/shown.ts';
import type { Principal } from '#actors/protocol/principal.ts';
import { isRefusal, type Refusal } from '#actors/protocol/refusal.ts';
import { failure, isDamaged, isFailure } from '#actors/engine/rows/failure.ts';
import { findRow } from '#actors/engine/rows/read.ts';
import { servedModels } from '../part.ts';
import { refuse } from '../refusals.ts';
import { failed } from '../rest/failed.ts';
import { sessionAs } from '../rest/session.ts';

/** A channel under a key, as a request names it; `key` is empty where it has none. */
export interface Address {
  readonly name: string;
  readonly key: string;
}

/** `topic`: one name for all addresses that mean the same. */
export interface Admitted {
  readonly address: Address;
  readonly channel: ChannelDefinition;
  readonly topic: string;
}

export type Verb = 'join' | 'send';
type Refused = Refusal<'v2.channel_not_found' | 'v2.channel_denied' | 'v2.query_failed'>;

export const unfit = (parameter: string, message: string) =>
  failed('v2.query_failed', failure(422, message, { parameter }));

export function channelNamed({ product }: Activation, name: string): ChannelDefinition | undefined {
  const channels = product.settings.channels ?? {};
  return Object.hasOwn(channels, name) ? channels[name] : undefined;
}

/** The channel that a request names, if its caller may. `others`: parameters that the request may have besides the key. */
export function admittedBy(call: Call, verb: Verb, others: readonly string[] = []): Admitted | Refused {
  const { query, activation } = call;
  const names = [...query.keys()];
  const stray = names.find((name, at) => (name !== 'key' && !others.includes(name)) || names.indexOf(name) !== at);
  if (stray !== undefined) return unfit(stray, `${shown(stray)} is no parameter of a channel, or is there twice`);
  const address = { name: call.param('name'), key: query.get('key') ?? '' };
  const work = new Work(activation);
  try {
    const admitted = admittedTo(work, call.principal!, address, verb);
    call.saw(work.commit());
    return admitted;
  } catch (error) {
    work.abort();
    throw error;
  }
}

/** The same of a caller that has joined before, in the turn of the work. Throws OutOfFuel. */
export function admittedTo(work: Work, principal: Principal, address: Address, verb: Verb): Admitted | Refused {
  const { name, key } = address;
  const channel = channelNamed(work.activation, name);
  if (channel === undefined)
    return refuse('v2.channel_not_found', { message: `the product declares no channel ${shown(name)}` });
  if (!includes(channel[verb], principal))
    return refuse('v2.channel_denied', { details: { channel: name, may_not: verb } });
  const { entity, keyed } = channel;
  const isKeyed = entity !== undefined || keyed === true;
  if (isKeyed !== (key !== ''))
    return unfit('key', isKeyed ? `the channel ${name} needs a key` : `the channel ${name} has no keys`);
  if (key.length > limits.channels.keyCharsMax)
    return unfit('key', `a key has at most ${limits.channels.keyCharsMax} characters`);
  const own = entity === undefined ? key : rowOf(work, principal, entity, key);
  return isRefusal(own) ? own : { address, channel, topic: `${name} ${own}` };
}

/** The id of a row that the caller may read: the same for each way to write it. */
function rowOf(work: Work, principal: Principal, entity: string, key: string): string | Refused {
  const session = sessionAs(work, principal, servedModels(work.activation));
  const model = session.model(entity);
  const id = model?.idOf(key) ?? null;
  const request = { method: 'GET', operation: 'read', entity, id: key, data: null };
  const row = model === undefined ? undefined : findRow(session, model, request, id);
  if (isFailure(row) && isDamaged(row)) return failed('v2.query_failed', row);
  if (id === null || row === undefined || isFailure(row))
    return refuse('v2.channel_not_found', { message: `there is no ${entity} of this id that this caller may read` });
  return Buffer.from(id).toString('base64url');
}

function includes(callers: ChannelCallers | undefined, { type, roles, superadmin }: Principal): boolean {
  if (callers === undefined) return false;
  if (superadmin) return true;
  if (type === 'service') return callers.services === true;
  if (type !== 'user') return false;
  return callers.users === true || (callers.roles ?? []).some((role) => roles.includes(role));
}
