/** What the page of the vault asks: the log of the node, once each, and the vault, again while it is in front. */
import { queryOptions } from '@tanstack/react-query';
import { recordsOf } from '../audit/queries.ts';
import { skep } from '../session/session.ts';
import { NODE_LOG } from '../tenants/history.ts';
import type { Vault } from '../node/answers.ts';

const OFTEN_MS = 10_000;

export const issued = recordsOf(NODE_LOG, { action: 'platform.certificate.issue' });
export const rotations = recordsOf(NODE_LOG, { action: 'platform.ring.rotate' });

export const vaultState = queryOptions({
  queryKey: ['node', 'vault'],
  queryFn: async ({ signal }) => {
    const answer = await skep.transport.send({ method: 'GET', path: '/superadmin/node/vault', signal });
    return answer.json as Vault;
  },
  refetchInterval: OFTEN_MS,
});
