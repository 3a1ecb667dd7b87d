/** Every service's answers to probes for life and readiness: the contract's texts (`ready:true`), and JSON for callers that ask for it. */
import type { Call } from './call.ts';
import type { BodyOf } from '#actors/protocol/body.ts';
import type { healthyShape, notReadyShape, readyShape } from '#actors/protocol/probe-shapes.ts';
import { reply, replyText, type Reply } from '#actors/protocol/route.ts';

const PLAIN = 'text/plain; charset=utf-8';
const VARY = { Vary: 'Accept' } as const;

export function healthy(version: string): Reply<200, BodyOf<typeof healthyShape>> {
  return reply(200, { healthy: true, version });
}

/** 200: `ready:true` as text; `{"ready": true}` where the row reads `accept` and it names JSON. */
export function ready(call: Call): Reply<200, BodyOf<typeof readyShape>> {
  return takesJson(call) ? reply(200, { ready: true }, VARY) : replyText(200, 'ready:true', PLAIN, VARY);
}

/** 503, in the words of `ready`. */
export function notReady(call: Call): Reply<503, BodyOf<typeof notReadyShape>> {
  return takesJson(call) ? reply(503, { ready: false }, VARY) : replyText(503, 'ready:false', PLAIN, VARY);
}

function takesJson(call: Call): boolean {
  return call.header('accept')?.includes('application/json') === true;
}
