/** The BFF as the host runs it: endpoints of every tenant's product, each made of several calls. */
import type { Context } from '#actors/host/activation.ts';
import type { Call } from '#actors/host/call.ts';
import { defineService } from '#actors/host/service.ts';
import type { Service } from '#actors/host/service.ts';
import { BearerCheck } from '#actors/kit/bearer.ts';
import type { Jobs } from '#actors/kit/jobs.ts';
import { authenticate } from './authenticate.ts';
import type { Bearers } from './authenticate.ts';
import { handlersOf } from './handlers.ts';
import { Pools } from './outside/pools.ts';
import type { Exchange } from './outside/pools.ts';
import { SERVICE, wake } from './part.ts';
import { routes } from './routes.ts';
import { unavailable } from './unavailable.ts';

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
  const checks = new WeakMap<Context, Bearers>();
  const bearersOf = ({ activation: { context } }: Call): Bearers => {
    let check = checks.get(context);
    if (check === undefined) checks.set(context, (check = new BearerCheck(context, SERVICE)));
    return check;
  };
  return defineService({
    name: SERVICE,
    routes,
    handlers: handlersOf(options.version),
    authenticate: (call) => authenticate(call, bearersOf(call)),
    unavailable: (_call, why) => unavailable(why),
    activate: (activation) => wake(activation, settings),
  });
}
