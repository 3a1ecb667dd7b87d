/** Refusals from several calls deep: thrown there, answered at the handler. */
import type { Call } from '#actors/host/call.ts';
import { refusalOf, Refused } from '#actors/kit/refused.ts';
import type { Outcome, RouteRow } from '#actors/protocol/route.ts';
import { refuse } from './refusals.ts';
import { S3Failed } from './store.ts';

/** Ends the handler with a refusal. */
export function end(...[code, options]: Parameters<typeof refuse>): never {
  throw new Refused(refuse(code, options));
}

/** Ends the handler: a store has no room for a file. `quota`: the one that is full, in words. */
export function endFull(store: string, quota: string): never {
  end('content.storage_full', { message: `the store ${store} has no room for the file: ${quota}` });
}

/** The bucket behind a store failed, which is no fault of Skep: it is logged whole, and answered as a failure behind the node. */
function backendFailed({ activation, requestId }: Call, error: S3Failed): Refused {
  activation.context.log.error(
    { service: 'content', err: error, request_id: requestId },
    'the bucket of a content store did not answer as it should: the request failed; check the bucket',
  );
  return new Refused(refuse('content.backend_failed'));
}

/**
 * The handler of a row, whose thrown refusals are its answers. The compiler checks what the handler returns against the row; thrown
 * refusals are checked here: one that the row does not declare is a fault of the handler, not an answer.
 */
export function refusing<R extends RouteRow>(
  row: R,
  handler: (call: Call) => Promise<Outcome<R>>,
): (call: Call) => Promise<Outcome<R>> {
  return async (call) => {
    try {
      return await handler(call);
    } catch (error) {
      return refusalOf(error instanceof S3Failed ? backendFailed(call, error) : error, row.refusals);
    }
  };
}
