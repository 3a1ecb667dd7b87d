/** What a request says in a channel, as others are told it; and the refusal of one that says too much. */
import { limits } from '#config/limits.ts';
import { retryAfter } from '#actors/protocol/retry-after.ts';
import { refuse } from '../refusals.ts';
import type { Taken } from '../endpoint/rate.ts';

/** A state as JSON, or 413. */
export const stateText = (state: unknown) => textOf('state', state, limits.channels.stateBytesMax);
/** A payload as JSON, or 413. */
export const payloadText = (payload: unknown, most: number) => textOf('payload', payload, most);

function textOf(what: string, value: unknown, most: number) {
  const text = JSON.stringify(value);
  const message = `the ${what} has more than ${most} bytes of JSON`;
  return Buffer.byteLength(text) > most ? refuse('v2.channel_too_large', { message, details: { most } }) : text;
}

export const refuseRate = ({ retryAfterSeconds }: Taken) =>
  refuse('v2.channel_rate', { headers: retryAfter(retryAfterSeconds) });
