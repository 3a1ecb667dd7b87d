/** POST and PUT /data/channels/{name}: a message to the members of a channel, and what a member says of itself (docs/contract/channels.md §3). Nothing is kept. */
import { z } from 'zod';
import { limits } from '#config/limits.ts';
import type { Call } from '#actors/host/call.ts';
import { isRefusal } from '#actors/protocol/refusal.ts';
import { reply, type Outcome } from '#actors/protocol/route.ts';
import { bodyShape, readBody } from '../admin/read-body.ts';
import { refuse } from '../refusals.ts';
import type { Routes } from '../routes.ts';
import { admittedBy, unfit, type Admitted } from './address.ts';
import type { Channels } from './channels.ts';
import { ownerOf } from '../per-owner.ts';
import { eventOf } from './queue.ts';
import { payloadText, refuseRate, stateText } from './say.ts';

const given = z.unknown().refine((value) => value !== undefined, 'is missing');
const message = bodyShape({ payload: given, member: z.string().optional() });
const presence = bodyShape({ member: z.string(), state: given });

/** Answered the same whether members are there or not. */
export function send(call: Call, channels: Channels): Outcome<Routes['channel_send']> {
  const admitted = admittedBy(call, 'send');
  if (isRefusal(admitted)) return admitted;
  const body = readBody(call, message);
  if (isRefusal(body)) return body;
  const payload = payloadText(body.payload, admitted.channel.bytes ?? limits.channels.messageBytes);
  if (isRefusal(payload)) return payload;
  const hall = channels.of(call.activation);
  const topic = hall.topic(admitted.topic);
  const from = body.member === undefined ? undefined : ownMember(call, channels, admitted, body.member);
  if (isRefusal(from)) return from;
  if (topic === undefined) return reply(204);
  const rate = hall.rate(admitted.topic, call);
  if (!rate.granted) return refuseRate(rate);
  const { type, subject } = call.principal!;
  const sender = JSON.stringify({ type, subject, ...(from !== undefined && { member: from.id }) });
  const at = new Date(call.now).toISOString();
  topic.tell(eventOf('message', `{"from":${sender},"at":"${at}","payload":${payload}}`));
  return reply(204);
}

export function setState(call: Call, channels: Channels): Outcome<Routes['channel_state']> {
  const admitted = admittedBy(call, 'join');
  if (isRefusal(admitted)) return admitted;
  if (admitted.channel.presence !== true)
    return unfit('state', 'the channel has no presence, and so its members no state');
  const body = readBody(call, presence);
  if (isRefusal(body)) return body;
  const state = stateText(body.state);
  if (isRefusal(state)) return state;
  const member = ownMember(call, channels, admitted, body.member);
  if (isRefusal(member)) return member;
  const hall = channels.of(call.activation);
  const rate = hall.rate(admitted.topic, call);
  if (!rate.granted) return refuseRate(rate);
  hall.topic(admitted.topic)!.setState(member, state);
  return reply(204);
}

/** A member of this caller: no caller speaks for another's. */
function ownMember(call: Call, channels: Channels, { topic }: Admitted, id: string) {
  const member = channels.of(call.activation).topic(topic)?.member(id);
  return member?.owner === ownerOf(call) ? member : refuse('v2.channel_member_not_found');
}
