/**
 * The callers that may write or read a log (docs/contract/audit.md §4.1). `target` is the tenant of the log, null for logs of the node and of
 * vaults.
 */
import { callers } from '#actors/protocol/callers.ts';

const VAULTS = 'a vault touches logs of vaults only';

/** A service whose grant covers the log's tenant; for a log of no tenant only the widest. */
export const WRITERS = callers({ service: 'at', certificates: ['vault'], further: VAULTS });

/** Any caller with a token lists logs; those that it may not read are left out. */
export const LISTERS = callers({
  users: [{ from: 'anywhere', impersonation: 'readonly' }],
  service: 'anywhere',
  certificates: ['vault'],
  further: 'logs that the caller may not read are left out',
});

/**
 * An administrator of the log's tenant, and a superadmin of it or of a plane over it; logs of no tenant belong to the control plane. An auditor of
 * either, too: the role gives access to nothing else, reads and changes nothing.
 */
export const READERS = callers({
  users: [
    { roles: ['tenant_admin', 'auditor'], from: 'at', impersonation: 'readonly' },
    { roles: ['superadmin', 'auditor'], from: 'at or over' },
  ],
  certificates: ['vault'],
  further: VAULTS,
});

/** Any caller that may read the log, except an impersonation: it must not erase what it may have to answer for. */
export const ERASERS = callers({
  users: [
    { roles: ['tenant_admin'], from: 'at' },
    { roles: ['superadmin'], from: 'at or over' },
  ],
});
