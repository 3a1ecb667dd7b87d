/** GET /data/channels/{name}: the caller is a member for as long as the stream lasts (docs/contract/channels.md §3). */
import { limits } from '#config/limits.ts';
import type { Call } from '#actors/host/call.ts';
import { parseJson } from '#actors/kit/json.ts';
import { isRefusal } from '#actors/protocol/refusal.ts';
import { RETRY_SOON } from '#actors/protocol/retry-after.ts';
import { replyStream, type Outcome } from '#actors/protocol/route.ts';
import { EVENT_STREAM, STREAM_HEADERS } from '../changes/subscribe.ts';
import { wantsStream } from '../changes/wish.ts';
import { busy, refuse } from '../refusals.ts';
import type { Routes } from '../routes.ts';
import { admittedBy, unfit } from './address.ts';
import type { Channels } from './channels.ts';
import type { Full, Hall } from './hall.ts';
import type { Member, Round } from './member.ts';
import { refuseRate, stateText } from './say.ts';

const { membersMax, perCallerMax, perTenantMax } = limits.channels;

export function join(call: Call, channels: Channels): Outcome<Routes['channel_join']> {
  if (channels.isRetiring) return busy('the node is about to stop');
  const admitted = admittedBy(call, 'join', ['state']);
  if (isRefusal(admitted)) return admitted;
  if (!wantsStream(call)) return unfit('accept', 'a channel is joined with `Accept: text/event-stream`');
  const state = stateIn(call.query.get('state'), admitted.channel.presence === true);
  if (isRefusal(state)) return state;
  const hall = channels.of(call.activation);
  const full = hall.full(call, admitted);
  if (full !== null) return refuseFull(full);
  const rate = hall.rate(admitted.topic, call);
  if (!rate.granted) return refuseRate(rate);
  const member = hall.open(call, admitted, state);
  const pieces = eventsOf(hall, member);
  return replyStream(200, { length: null, pieces, left: () => hall.close(member) }, EVENT_STREAM, STREAM_HEADERS);
}

/** The state in the query, as JSON; `null` where there is none. */
function stateIn(text: string | null, hasPresence: boolean) {
  if (text === null) return 'null';
  if (!hasPresence) return unfit('state', 'the channel has no presence, and so its members no state');
  const json = parseJson(text);
  return json.ok ? stateText(json.value) : unfit('state', `state is no JSON: ${json.fault}`);
}

async function* eventsOf(hall: Hall, member: Member): AsyncGenerator<Uint8Array> {
  try {
    yield Buffer.from(`retry: ${limits.changes.retryMs}\n\n`);
    for (;;) {
      const round = await hall.next(member, limits.changes.heartbeatMs);
      yield Buffer.from(textOf(round));
      if (round.kind === 'end') return;
    }
  } finally {
    hall.close(member);
  }
}

const textOf = (round: Round): string => {
  if (round.kind === 'end') return `event: end\ndata: {"reason":"${round.reason}"}\n\n`;
  return round.kind === 'told' ? round.text : ':\n\n';
};

const WHOSE: Readonly<Record<Full, string>> = {
  caller: `a caller is at most ${perCallerMax} members of channels at once`,
  channel: `a channel has at most ${membersMax} members under one key`,
  tenant: `the channels of a tenant have at most ${perTenantMax} members at once`,
  node: 'this node has as many subscribers and members as it may',
};

const refuseFull = (full: Full) =>
  refuse('v2.channels_full', { status: full === 'node' ? 503 : 429, message: WHOSE[full], headers: RETRY_SOON });
