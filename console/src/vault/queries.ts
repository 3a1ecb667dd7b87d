/** What the page of the vault asks of the log of the node, once each. */
import { recordsOf } from '../audit/queries.ts';
import { NODE_LOG } from '../tenants/history.ts';

export const issued = recordsOf(NODE_LOG, { action: 'platform.certificate.issue' });
export const rotations = recordsOf(NODE_LOG, { action: 'platform.ring.rotate' });
