/** The content service as the host runs it: content types, apps and stores of every tenant. */
import type { Context } from '#actors/host/activation.ts';
import { defineService, type Service } from '#actors/host/service.ts';
import { bearerOfCalls, type Bearers } from '#actors/host/service-kit.ts';
import { urlKeyAsks } from '#actors/host/signed-url/asks.ts';
import type { Why } from '#actors/host/why.ts';
import { BearerCheck } from '#actors/kit/bearer.ts';
import { RETRY_WHEN_ROOM } from '#actors/protocol/retry-after.ts';
import { authenticate } from './authenticate.ts';
import { handlersOf } from './handlers.ts';
import { ImageMaker } from './image/image-maker.ts';
import { SERVICE, wake, type ContentSettings } from './part.ts';
import { personAsks } from './personal/asks.ts';
import { refuse } from './refusals.ts';
import { routes } from './routes.ts';
import { webhookAsks } from './webhook/asks.ts';
import { hookOutbox } from './webhook/hook-outbox.ts';
import { wakeWebhooks } from './webhook/wake.ts';

/** Answers where a turn could not run or could not be kept (docs/contract/common.md §8.2: 507 where there is no room). */
const UNAVAILABLE = {
  overloaded: 'content.unavailable',
  stopped: 'content.unavailable',
  storage_full: 'content.storage_full',
  too_costly: 'content.failed',
  fault: 'content.failed',
} as const satisfies Record<Why, string>;

export interface ContentServiceOptions extends ContentSettings {
  readonly version: string;
  /** What verifies bearer headers; one per thread and context, for its cache. */
  readonly bearers?: (context: Context) => Bearers;
}

export function contentService(options: ContentServiceOptions): Service {
  const bearerOf = bearerOfCalls(options.bearers ?? ((context) => new BearerCheck(context, SERVICE)));
  const maker = new ImageMaker(options.jobs);
  const outbox = hookOutbox(options.webhooksPending);
  return defineService({
    name: SERVICE,
    routes,
    handlers: handlersOf(options.version),
    authenticate: (call) => authenticate(call, bearerOf),
    unavailable: (_call, why) => refuse(UNAVAILABLE[why], why === 'storage_full' ? { headers: RETRY_WHEN_ROOM } : {}),
    asks: { ...webhookAsks(outbox), ...urlKeyAsks(SERVICE), ...personAsks },
    outboxes: { hook: outbox },
    resume: (store, tenantNo) => outbox.resume(store, tenantNo),
    activate: (activation) => {
      wake(activation, options, maker);
      wakeWebhooks(activation, outbox);
    },
  });
}
