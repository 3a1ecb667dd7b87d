/** Whether a member stays: its credential, the declaration and the row of its key are judged each time before it is told something (docs/contract/channels.md §4). */
import type { Work } from '#actors/host/work.ts';
import { OutOfFuel } from '#actors/kit/pace/fuel.ts';
import { isRefusal } from '#actors/protocol/refusal.ts';
import type { Authorize } from '../changes/round.ts';
import { admittedTo, channelNamed } from './address.ts';
import type { EndReason } from '../live-wait.ts';
import type { Member } from './member.ts';

/** Null where it stays. A fault of one member ends that one alone. */
export function judged({ call, address }: Member, work: Work, authorize: Authorize): EndReason | null {
  const principal = authorize(call);
  if (principal === null || isRefusal(principal)) return 'session';
  if (channelNamed(work.activation, address.name) === undefined) return 'definitions';
  try {
    return isRefusal(admittedTo(work, principal, address, 'join')) ? 'access' : null;
  } catch (error) {
    if (error instanceof OutOfFuel) return 'cost';
    const { context, position } = work.activation;
    const fields = { err: error, tenant: position.key };
    context.log.error(fields, 'a member of a channel could not be judged: it has left, and may join again');
    return 'fault';
  }
}
