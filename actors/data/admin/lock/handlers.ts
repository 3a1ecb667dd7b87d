/** GET and DELETE …/locks (docs/contract/data-admin.md §6). */
import type { Call } from '#actors/host/call.ts';
import { shown } from '#actors/kit/shown.ts';
import { reply, type Outcome } from '#actors/protocol/route.ts';
import { refuse } from '../../refusals.ts';
import { placeOf } from '../gate.ts';
import type { UpkeepRows } from '../upkeep-routes.ts';
import { breakLock, findLocks } from './lock.ts';
import { showLock } from './show.ts';

export function locks(call: Call): Outcome<UpkeepRows['locks']> {
  const { query } = call;
  const filter = {
    prefix: query.get('prefix') ?? '',
    opKind: query.get('op_kind') ?? '',
    includeExpired: query.get('include_expired') === 'true',
  };
  const now = call.activation.context.clock.now();
  const found = findLocks(call.turn(), now, filter);
  return reply(200, { ...placeOf(call), locks: found.map((lock) => showLock(lock, now)) });
}

export function releaseLocked(call: Call): Outcome<UpkeepRows['lock_release']> {
  const resource = call.param('resource');
  if (resource === '') return refuse('v2.bad_path', { message: 'the path names no resource' });
  const { position } = call.activation;
  const broken = breakLock(call.turn(), resource);
  const note = broken === undefined ? 'it was not held' : 'its holder fails at the next heartbeat';
  return reply(200, { tenant: position.key, resource: shown(resource), released: broken !== undefined, note });
}
