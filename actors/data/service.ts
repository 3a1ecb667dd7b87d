/** The data service as the host runs it. */
import type { Context } from '#actors/host/activation.ts';
import type { Call } from '#actors/host/call.ts';
import { defineService } from '#actors/host/service.ts';
import type { Service } from '#actors/host/service.ts';
import type { BlobStore } from './file/store.ts';
import { BearerCheck } from '#actors/kit/bearer.ts';
import { Expressions } from '#actors/kit/jq/expressions.ts';
import { NO_JOBS } from '#actors/kit/jobs.ts';
import type { Jobs } from '#actors/kit/jobs.ts';
import { asks } from './asks.ts';
import { authenticate } from './authenticate.ts';
import type { Bearers } from './authenticate.ts';
import { handlersOf } from './handlers.ts';
import { SERVICE, wake, wakeActions } from './part.ts';
import type { Dependency } from './probe/health.ts';
import { processVitals } from './probe/vitals.ts';
import { routes } from './routes.ts';
import { unavailable } from './unavailable.ts';

export interface DataServiceOptions {
  /** How bearer headers are judged; one per thread and context, for its cache. */
  readonly bearers?: (context: Context) => Bearers;
  /** Where programs and scripts of callers run that are too much for the host. */
  readonly jobs?: Jobs;
  /** Where the tenant of a number keeps its files; without it file fields answer 501. */
  readonly files?: (tenantNo: number) => BlobStore;
  /** What the probes report beside the process itself. */
  readonly dependencies?: () => Readonly<Record<string, Dependency>>;
}

/** Entity REST of every tenant of a host. */
export function dataService(options: DataServiceOptions = {}): Service {
  const make = options.bearers ?? ((context: Context) => new BearerCheck(context));
  const jobs = options.jobs ?? NO_JOBS;
  const languages = { expressions: new Expressions(jobs), jobs };
  const checks = new WeakMap<Context, Bearers>();
  const bearersOf = (call: Call): Bearers => {
    const { context } = call.activation;
    let check = checks.get(context);
    if (check === undefined) checks.set(context, (check = make(context)));
    return check;
  };
  return defineService({
    name: SERVICE,
    routes,
    handlers: handlersOf(processVitals(options.dependencies ?? (() => ({})))),
    authenticate: (call) => authenticate(call, bearersOf(call)),
    unavailable,
    asks,
    activate(activation) {
      activation.parts.set(SERVICE, wake(activation, languages, options.files?.(activation.tenantNo) ?? null));
      return (activation.product.actions ?? []).length > 0 ? wakeActions(activation) : undefined;
    },
  });
}
