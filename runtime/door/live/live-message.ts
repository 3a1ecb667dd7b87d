/**
 * Messages of `/data/live`, both ways (docs/contract/changes.md §7.2, §7.3): what a caller's message asks for, and the events of a stream as messages of a
 * subscription. Pure.
 */
import { z } from 'zod';
import { limits } from '#config/limits.ts';
import { parseJson } from '#actors/kit/json.ts';
import type { LiveRequest } from './dialect.ts';

/** Parameters of the request that have members of their own. */
const OWN = /^(?:entity|after|wait|snapshot|limit|fields)$/i;

const id = z.string().min(1).max(limits.changes.liveIdCharsMax);
const scalar = z.union([z.string(), z.number(), z.boolean()]);
/** Printable ASCII, which is what a field of a request may hold. */
const token = z.string().regex(/^[\x21-\x7e]+$/);

const channel = { channel: z.string().min(1), key: z.string().optional() };

const message = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('auth'), token }),
  z.strictObject({
    type: z.literal('subscribe'),
    id,
    entity: z.string(),
    after: z.int().nonnegative().optional(),
    snapshot: z.boolean().optional(),
    fields: z.array(z.string()).optional(),
    where: z
      .record(
        z.string().refine((name) => !OWN.test(name), 'has a member of its own'),
        scalar,
      )
      .optional(),
  }),
  z.strictObject({ type: z.literal('unsubscribe'), id }),
  z.strictObject({ type: z.literal('join'), id, ...channel, state: z.unknown().optional() }),
  z.strictObject({ type: z.literal('leave'), id }),
  z.strictObject({ type: z.literal('send'), id, ...channel, payload: z.unknown(), member: z.string().optional() }),
  z.strictObject({ type: z.literal('state'), id, ...channel, member: z.string(), state: z.unknown() }),
  z.strictObject({ type: z.literal('ping') }),
]);

export type LiveMessage = z.output<typeof message>;
/** Messages of channels (docs/contract/channels.md §7). */
export type ChannelAsk = Extract<LiveMessage, { readonly type: 'join' | 'send' | 'state' }>;
export type Subscribe = Extract<LiveMessage, { readonly type: 'subscribe' }>;

/** The message of a text; else what is wrong with it, in words. */
export function parseMessage(text: string): LiveMessage | { readonly type: 'fault'; readonly fault: string } {
  const json = parseJson(text);
  if (!json.ok) return { type: 'fault', fault: json.fault };
  const parsed = message.safeParse(json.value);
  if (parsed.success) return parsed.data;
  const [{ path, message: why }] = parsed.error.issues as [z.core.$ZodIssue];
  return { type: 'fault', fault: path.length === 0 ? why : `${path.join('.')}: ${why}` };
}

/** The query of `GET /data/changes` that asks for the same. */
export function queryOf({ entity, after, snapshot, fields, where = {} }: Subscribe): string {
  const query = new URLSearchParams({ entity });
  if (after !== undefined) query.set('after', String(after));
  if (snapshot === true) query.set('snapshot', 'true');
  if (fields !== undefined) query.set('fields', fields.join(','));
  for (const [name, value] of Object.entries(where)) query.append(name, String(value));
  return query.toString();
}

/** The request that asks the same of a channel. `feed`: the path of the feed on this listener. */
export function channelAskOf(asked: ChannelAsk, feed: string): Omit<LiveRequest, 'fields'> {
  const { type, channel: name, key } = asked;
  const path = `${feed.replace(/changes$/, 'channels')}/${encodeURIComponent(name)}`;
  const query = new URLSearchParams(key === undefined ? {} : { key });
  if (type === 'join') {
    if (asked.state !== undefined) query.set('state', JSON.stringify(asked.state));
    return { method: 'GET', path, query: query.toString(), body: '' };
  }
  const { member } = asked;
  const said = type === 'send' ? { payload: asked.payload, member } : { member, state: asked.state };
  return { method: type === 'send' ? 'POST' : 'PUT', path, query: query.toString(), body: JSON.stringify(said) };
}

/** The messages of a piece of a stream, which holds whole events (actors/data/changes/events.ts); comments without a position are none. */
export function messagesOf(subscription: string, piece: string): string[] {
  const head = `{"id":${JSON.stringify(subscription)},"type":`;
  return piece.split('\n\n').flatMap((block) => {
    const text = bodyOf(block);
    return text === null ? [] : [head + text];
  });
}

/** What follows the subscription's id: the kind of an event and its members. */
function bodyOf(block: string): string | null {
  const [, at] = /^id: (\d+)$/m.exec(block) ?? [];
  const [, event] = /^event: (\w+)$/m.exec(block) ?? [];
  if (event === undefined) return at === undefined ? null : `"idle","after":${at}}`;
  const data = block.slice(block.indexOf('\ndata: ') + '\ndata: '.length);
  return event === 'change' || event === 'row' ? `"${event}","${event}":${data}}` : `"${event}",${data.slice(1)}`;
}

/** A subscription that was refused, with the body of the refusal (docs/contract/common.md §3). */
export function refusedMessage(subscription: string, status: number, headers: string, body: string): string {
  const [, after] = /^Retry-After: (\d+)$/m.exec(headers) ?? [];
  const wait = after === undefined ? '' : `,"retry_after":${after}`;
  const error = body.startsWith('{') ? body : JSON.stringify(body.trimEnd());
  return `{"id":${JSON.stringify(subscription)},"type":"error","status":${status}${wait},"error":${error}}`;
}
