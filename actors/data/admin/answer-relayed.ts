/** The receiving end of a relayed request: a call of its own on the tenant that the path named (actors/protocol/relay.ts). */
import { Call } from '#actors/host/call.ts';
import { whyOf } from '#actors/host/why.ts';
import type { AnyHandler } from '#actors/host/service.ts';
import type { Work } from '#actors/host/work.ts';
import type { RelayedAnswer, RelayedCall } from '#actors/protocol/relay.ts';
import { isRefusal, refusalBody, refusalType, type Refusal } from '#actors/protocol/refusal.ts';
import type { Reply, RouteRow, RouteTable } from '#actors/protocol/route.ts';
import { unavailable } from '../unavailable.ts';

/** Answers a relayed call; its turn ends here, and the ask waits until what it read and wrote is durable. */
export async function answerRelayed(
  work: Work,
  relayed: RelayedCall,
  rows: RouteTable,
  handlers: Readonly<Record<string, AnyHandler>>,
): Promise<RelayedAnswer> {
  const row = Object.hasOwn(rows, relayed.route) ? rows[relayed.route] : undefined;
  if (row === undefined) throw new Error(`no relayed route has the name ${relayed.route}`);
  const call = callOf(work, relayed, row);
  const outcome = await outcomeOf(call, handlers[relayed.route]!);
  work.saw(isRefusal(outcome) ? call.abort() : call.commit());
  return answerOf(outcome);
}

function callOf(work: Work, relayed: RelayedCall, row: RouteRow): Call {
  const { route: name, method, params, query, requestId, body, principal } = relayed;
  const paramNames = [...row.path.matchAll(/\{([a-z_]+)\*?\}/g)].map((match) => match[1]!);
  const route = { no: -1, name, service: 'data', row, paramNames };
  const call = new Call(-1, route, work.activation.tenantNo, method, params, query, '', requestId, '', body);
  call.tenant = work.activation;
  call.principal = principal;
  call.isOperators = true;
  return call;
}

async function outcomeOf(call: Call, handler: AnyHandler): Promise<Reply | Refusal> {
  try {
    return await handler(call);
  } catch (error) {
    call.abort();
    const why = whyOf(error);
    const { context } = call.activation;
    if (why === 'fault') context.log.error({ err: error, route: call.route.name, ...call.named }, 'handler failed');
    return unavailable(call, why);
  }
}

function answerOf(outcome: Reply | Refusal): RelayedAnswer {
  const { status, headers } = outcome;
  if (isRefusal(outcome)) return { status, headers, type: refusalType(outcome.family), text: refusalBody(outcome) };
  return { status, headers, type: outcome.type, text: outcome.text ?? JSON.stringify(outcome.body) };
}
