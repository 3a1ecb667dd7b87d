/** Callers of a tenant's rows; access rules of the definitions decide further (docs/contract/data.md §3). */
import { callers, type Callers } from '#actors/protocol/callers.ts';
import type { Method } from '#actors/protocol/method.ts';

const RULES = 'access rules of the definitions; without one a superadmin';

/** Routes that read, or whose handlers authorize each change. `statics`: verbs that take the product's static key. */
export function looking(statics: readonly Method[] = []): Callers {
  return callers({ users: [{ impersonation: 'readonly' }], service: 'here', static: statics, further: RULES });
}

/** Routes that change something: a read-only impersonation is refused. */
export function changing(statics: readonly Method[] = []): Callers {
  return callers({ users: [{ impersonation: 'full' }], service: 'here', static: statics, further: RULES });
}

/** As `looking`, or a ticket in place of the credential. */
export const subscribing: Callers = callers({
  users: [{ impersonation: 'readonly' }],
  service: 'here',
  further: `for a stream, a ticket of POST /data/changes/ticket stands for its caller's credential; then ${RULES}`,
});

const CHANNEL = 'the declaration of the channel, and who may read the row of its key';

/** Members of a channel. */
export const listening: Callers = callers({
  users: [{ impersonation: 'readonly' }],
  service: 'here',
  further: CHANNEL,
});

/** Callers that others of a channel are told something by. */
export const conversing: Callers = callers({ users: [{ impersonation: 'full' }], service: 'here', further: CHANNEL });

/** The handshake of a WebSocket, whose first message may show the credential. */
export const connecting: Callers = callers({
  users: [{ impersonation: 'readonly' }],
  service: 'here',
  late: true,
  further: `a handshake passes without a credential, and its first message shows one; then ${RULES}`,
});

export const scriptedCallers = callers({
  anonymous: true,
  users: [{ impersonation: 'readonly' }],
  service: 'here',
  further: 'the `auth` of the endpoint; its script acts as the caller',
});
