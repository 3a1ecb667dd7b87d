/** The head of a tenant's changes as a request meets it: made where there is none. */
import type { Call } from '#actors/host/call.ts';
import { Work } from '#actors/host/work.ts';
import type { Feed } from './changes.ts';
import type { ChangeHead } from './store.ts';

/** Its number is the position of now: behind everything that was committed before. What it shows leaves no earlier than it is durable. */
export function headNow(call: Call, { log }: Feed): ChangeHead {
  const work = new Work(call.activation);
  const head = log.ready(work.turn());
  call.saw(work.commit());
  return head;
}
