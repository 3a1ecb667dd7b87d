/** The BFF as the host runs it: endpoints of every tenant's product, each made of several calls. */
import { defineService, type Service } from '#actors/host/service.ts';
import { bearerOfCalls } from '#actors/host/service-kit.ts';
import type { Why } from '#actors/host/why.ts';
import { BearerCheck } from '#actors/kit/bearer.ts';
import type { Jobs } from '#actors/kit/jobs.ts';
import { authenticate } from './authenticate.ts';
import { handlersOf } from './handlers.ts';
import { Pools, type Exchange } from './outside/pools.ts';
import { SERVICE, wake } from './part.ts';
import { refuse } from './refusals.ts';
import { routes } from './routes.ts';

/** Answers where a turn could not run or could not be kept (docs/contract/common.md §8.2: 507 where there is no room). */
const UNAVAILABLE = {
  overloaded: 'bff.unavailable',
  stopped: 'bff.unavailable',
  storage_full: 'bff.storage_full',
  too_costly: 'bff.failed',
  fault: 'bff.failed',
} as const satisfies Record<Why, string>;

export interface BffServiceOptions {
  readonly version: string;
  readonly jobs: Jobs;
  /** `outbound.allow_private` of the platform file. */
  readonly allowPrivate: readonly string[];
  /** How requests leave; the thread's connections when absent. */
  readonly exchange?: Exchange;
}

export function bffService(options: BffServiceOptions): Service {
  const settings = { jobs: options.jobs, exchange: options.exchange ?? new Pools(options.allowPrivate) };
  const bearerOf = bearerOfCalls((context) => new BearerCheck(context, SERVICE));
  return defineService({
    name: SERVICE,
    routes,
    handlers: handlersOf(options.version),
    authenticate: (call) => authenticate(call, bearerOf),
    unavailable: (_call, why) => refuse(UNAVAILABLE[why]),
    activate: (activation) => wake(activation, settings),
  });
}
