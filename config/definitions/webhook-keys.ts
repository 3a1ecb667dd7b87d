/** Keys that every declared webhook has: of a content app, of a trigger (docs/contract/content.md §3.3, docs/contract/triggers.md §1.2). */
import * as z from 'zod';
import { parseDuration } from '#config/values/duration.ts';
import { limits } from '../limits.ts';

const HEADER = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,64}$/;
/** Headers that every delivery sets: a subscriber cannot change them. */
const TAKEN =
  /^(?:x-service-|webhook-)|^(?:content-type|content-length|user-agent|host|connection|transfer-encoding|expect|te|upgrade)$/i;

const { content } = limits;

function isTimeout(text: string): boolean {
  const ms = parseDuration(text) ?? 0;
  return ms > 0 && ms <= content.webhookTimeoutMsMax;
}

export const webhookTimeout = z
  .string()
  .refine(isTimeout)
  .meta({ description: `a duration of at most ${content.webhookTimeoutMsMax / 1000}s`, example: '10s' });

const headerName = z
  .string()
  .regex(HEADER, 'write a header name')
  .refine((name) => !TAKEN.test(name), 'the delivery sets this header itself: choose another name');

export const webhookHeaders = z
  .record(headerName, z.string().regex(/^[\x20-\x7e]{0,1024}$/))
  .refine((headers) => Object.keys(headers).length <= content.webhookHeadersMax)
  .meta({ description: `a map of at most ${content.webhookHeadersMax} headers`, example: '{ X-Site: a }' });
