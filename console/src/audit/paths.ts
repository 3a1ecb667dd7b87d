/** The address of a tenant's log at its tenant, and the log's id. Pure. */
import { baseOf } from '../session/position.ts';

export const auditPath = (key: string): string => `${baseOf(key)}/audit`;

/** As the node names the log of a tenant: docs/contract/audit.md §2. */
export const logIdOf = (key: string): string => `tenant/${key.replaceAll(':', '/')}`;
