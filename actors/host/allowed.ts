/** An answer that rests on what this node knows leaves only while no other node can have overtaken that (docs/decisions/storage.md ST-36). */
import type { Refusal } from '#actors/protocol/refusal.ts';
import type { Reply } from '#actors/protocol/route.ts';
import type { Call } from './call.ts';
import type { HostPorts } from './host-ports.ts';
import type { Service } from './service.ts';

type Outcome = Reply | Refusal;

/** The outcome as it may leave: itself, or the service's unavailability. A promise where a round has to confirm it first. */
export function whenAllowed(
  { confirms, mayAnswer }: Pick<HostPorts, 'confirms' | 'mayAnswer'>,
  service: Service,
  call: Call,
  outcome: Outcome,
): Outcome | Promise<Outcome> {
  if (confirms !== undefined) return whenConfirmed(confirms, service, call, outcome);
  return mayAnswer === undefined || mayAnswer() ? outcome : unsure(service, call, outcome);
}

async function whenConfirmed(
  confirms: () => Promise<boolean>,
  service: Service,
  call: Call,
  outcome: Outcome,
): Promise<Outcome> {
  const isConfirmed = await confirms().catch(() => false);
  return isConfirmed ? outcome : unsure(service, call, outcome);
}

/** What leaves in the place of an outcome that another node may have overtaken. */
function unsure(service: Service, call: Call, outcome: Outcome): Refusal {
  if (outcome.kind === 'reply' && outcome.stream !== undefined) {
    outcome.stream.left?.();
    // The host holds the activation for the source of a stream, which is asked for nothing now.
    call.tenant?.exclusive.leave();
  }
  return service.unavailable(call, 'overloaded');
}
