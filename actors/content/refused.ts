/** Refusals that are met several calls deep: thrown there, answered at the handler. */
import type { Call } from '#actors/host/call.ts';
import type { Refusal } from '#actors/protocol/refusal.ts';
import type { Reply } from '#actors/protocol/route.ts';
import { refuse } from './refusals.ts';
import type { Code } from './refusals.ts';
import { S3Failed } from './store.ts';

class Refused extends Error {
  readonly refusal: Refusal<Code>;

  constructor(refusal: Refusal<Code>) {
    super(refusal.message);
    this.refusal = refusal;
  }
}

/** Ends the handler with a refusal. */
export function end(...[code, options]: Parameters<typeof refuse>): never {
  throw new Refused(refuse(code, options));
}

/** What stands behind a store is not ours to mend: it is logged whole, and its caller is told that it is not his fault. */
function backendFailed({ activation, requestId }: Call, error: S3Failed): Refusal<Code> {
  activation.context.log.error({ service: 'content', err: error, request_id: requestId }, 'a storage backend failed');
  return refuse('content.backend_failed');
}

/** A handler whose thrown refusals are its answers. */
export function refusing<S extends number>(handler: (call: Call) => Promise<Reply<S>>) {
  return async (call: Call): Promise<Reply<S> | Refusal<Code>> => {
    try {
      return await handler(call);
    } catch (error) {
      if (error instanceof Refused) return error.refusal;
      if (error instanceof S3Failed) return backendFailed(call, error);
      throw error;
    }
  };
}
