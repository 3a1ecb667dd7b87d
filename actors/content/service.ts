/** The content service as the host runs it: content types, apps and stores of every tenant. */
import type { Context } from '#actors/host/activation.ts';
import type { Call } from '#actors/host/call.ts';
import { defineService } from '#actors/host/service.ts';
import type { Service } from '#actors/host/service.ts';
import { BearerCheck } from '#actors/kit/bearer.ts';
import { authenticate } from './authenticate.ts';
import type { Bearers } from './authenticate.ts';
import { handlersOf } from './handlers.ts';
import { SERVICE, wake } from './part.ts';
import type { ContentSettings } from './part.ts';
import { routes } from './routes.ts';
import { unavailable } from './unavailable.ts';
import { webhookAsks } from './webhook/asks.ts';
import { hookOutbox } from './webhook/hook-outbox.ts';
import { wakeWebhooks } from './webhook/wake.ts';

export interface ContentServiceOptions extends ContentSettings {
  readonly version: string;
  /** What verifies bearer headers; one per thread and context, for its cache. */
  readonly bearers?: (context: Context) => Bearers;
}

export function contentService(options: ContentServiceOptions): Service {
  const make = options.bearers ?? ((context: Context) => new BearerCheck(context, 'content'));
  const checks = new WeakMap<Context, Bearers>();
  const bearersOf = ({ activation: { context } }: Call): Bearers => {
    let check = checks.get(context);
    if (check === undefined) checks.set(context, (check = make(context)));
    return check;
  };
  const outbox = hookOutbox(options.webhooksPending);
  return defineService({
    name: SERVICE,
    routes,
    handlers: handlersOf(options.version),
    authenticate: (call) => authenticate(call, bearersOf(call)),
    unavailable: (_call, why) => unavailable(why),
    asks: webhookAsks(outbox),
    outboxes: { hook: outbox },
    resume: (store, tenantNo) => outbox.resume(store, tenantNo),
    activate: (activation) => {
      wake(activation, options);
      wakeWebhooks(activation, outbox);
    },
  });
}
