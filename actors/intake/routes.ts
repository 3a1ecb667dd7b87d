/** Routes of the intake service. Spec: docs/contract/intake.md §4, §5. The door imports these rows, never the handlers. */
import { anyone } from '#actors/protocol/callers.ts';
import { limits } from '#config/limits.ts';
import { CALLER_IP } from '#actors/protocol/frame.ts';
import { healthyShape, notReadyShape, readyShape } from '#actors/protocol/probe-shapes.ts';
import { defineRoutes } from '#actors/protocol/route.ts';
import type { refusals } from './refusals.ts';
import { challengeShape, metricsShape, receiptShape, submissionShape } from './shapes.ts';

/** The parts of the rows that the configuration sets. */
export interface RouteSettings {
  /** `http.max_body_bytes`. */
  readonly bodyBytesMax: number;
  /** `cors.origins`, as browsers write them. */
  readonly origins: readonly string[];
}

const defaultRouteSettings: RouteSettings = {
  bodyBytesMax: limits.intake.bodyBytesMax,
  origins: [],
};

export type IntakeRoutes = ReturnType<typeof intakeRoutes>;

const probe = {
  position: 'none',
  to: 'intake',
  callers: anyone(),
  rate: 'probe',
  body: 'none',
  ack: 'memory',
  listener: 'own',
} as const;

/** The rows under the given configuration. */
export function intakeRoutes(settings: RouteSettings = defaultRouteSettings) {
  return defineRoutes<typeof refusals>()({
    submit: {
      methods: ['POST'],
      path: '/f/{id}',
      position: 'none',
      to: 'intake',
      callers: anyone('the gateway secret, where one is set'),
      rate: 'intake_ip',
      body: 'form',
      bodyBytesMax: settings.bodyBytesMax,
      headers: ['content-type', 'content-encoding', 'idempotency-key', CALLER_IP],
      cors: settings.origins,
      ack: 'fsync',
      request: submissionShape,
      replies: { 200: receiptShape },
      refusals: [
        'intake.bad_request',
        'intake.captcha_required',
        'intake.captcha_invalid',
        'intake.forbidden',
        'intake.unknown_form',
        'intake.read_timeout',
        'intake.too_large',
        'intake.unsupported_media_type',
        'intake.validation',
        'intake.idempotency_mismatch',
        'intake.rate_limited',
        'intake.internal',
        'intake.shedding',
      ],
      summary: 'Submit a form; 200 only after the submission is durable.',
    },
    captcha: {
      methods: ['GET'],
      path: '/f/{id}/captcha',
      position: 'none',
      to: 'intake',
      callers: anyone('the gateway secret, where one is set'),
      rate: 'intake_ip',
      body: 'none',
      headers: [CALLER_IP],
      cors: settings.origins,
      ack: 'memory',
      replies: { 200: challengeShape },
      refusals: [
        'intake.forbidden',
        'intake.unknown_form',
        'intake.no_captcha',
        'intake.rate_limited',
        'intake.internal',
        'intake.shedding',
      ],
      summary: 'A challenge for ALTCHA’s widget, for a form that asks for a captcha.',
    },
    health: {
      ...probe,
      methods: ['GET'],
      path: '/health',
      replies: { 200: healthyShape },
      refusals: [],
      summary: 'Whether the service lives.',
    },
    healthz: {
      ...probe,
      methods: ['GET'],
      path: '/healthz',
      replies: { 200: healthyShape },
      refusals: [],
      summary: 'Alias of /health.',
    },
    ready: {
      ...probe,
      methods: ['GET'],
      path: '/ready',
      headers: ['accept'],
      replies: { 200: readyShape, 503: notReadyShape },
      refusals: [],
      summary: 'Whether the service takes submissions; 503 while it drains.',
    },
    readyz: {
      ...probe,
      methods: ['GET'],
      path: '/readyz',
      headers: ['accept'],
      replies: { 200: readyShape, 503: notReadyShape },
      refusals: [],
      summary: 'Alias of /ready.',
    },
    metrics: {
      ...probe,
      methods: ['GET'],
      path: '/metrics',
      headers: ['accept'],
      replies: { 200: metricsShape },
      refusals: [],
      summary: 'Counters since the start: JSON, or Prometheus text when `Accept` asks for text/plain.',
    },
  });
}
