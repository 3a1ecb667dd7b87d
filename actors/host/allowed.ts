/** An answer that rests on what this node knows leaves only while no other node can have overtaken that (docs/decisions/storage.md ST-36). */
import type { Refusal } from '#actors/protocol/refusal.ts';
import type { Reply } from '#actors/protocol/route.ts';
import type { Call } from './call.ts';
import type { HostPorts } from './host-ports.ts';
import type { Service } from './service.ts';

/** The outcome as it may leave now: itself, or the service's unavailability. */
export function allowed(
  { mayAnswer }: Pick<HostPorts, 'mayAnswer'>,
  service: Service,
  call: Call,
  outcome: Reply | Refusal,
): Reply | Refusal {
  return mayAnswer === undefined || mayAnswer() ? outcome : unsure(service, call, outcome);
}

/** What leaves in the place of an outcome that another node may have overtaken. */
export function unsure(service: Service, call: Call, outcome: Reply | Refusal): Refusal {
  if (outcome.kind === 'reply' && outcome.stream !== undefined) {
    outcome.stream.left?.();
    // The host holds the activation for the source of a stream, which is asked for nothing now.
    call.tenant?.exclusive.leave();
  }
  return service.unavailable(call, 'overloaded');
}
