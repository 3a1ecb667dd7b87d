/** One handler per route row of routes.ts. */
import type { Call } from '#actors/host/call.ts';
import type { Handlers } from '#actors/host/service.ts';
import { healthy, notReady, ready } from '#actors/host/readiness.ts';
import { reply, replyText } from '#actors/protocol/route.ts';
import { prometheusText } from './counters.ts';
import type { Intake } from './open-intake.ts';
import type { IntakeRoutes } from './routes.ts';

const PROMETHEUS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

export function intakeHandlers(intake: Intake): Handlers<IntakeRoutes> {
  const health = () => healthy(intake.version);
  const isReady = (call: Call) => (intake.ready ? ready(call) : notReady(call));
  return {
    submit: (call) => intake.submit(call),
    captcha: (call) => intake.captcha(call),
    health,
    healthz: health,
    ready: isReady,
    readyz: isReady,
    metrics: (call) =>
      wantsText(call)
        ? replyText(200, prometheusText(intake.counters()), PROMETHEUS_TYPE)
        : reply(200, intake.counters()),
  };
}

/** Prometheus text only where `Accept` names it; `*` gets the contract's JSON. */
function wantsText(call: Call): boolean {
  const accept = call.header('accept') ?? '';
  return accept.includes('text/plain') && !accept.includes('application/json');
}
