/** Who writes a log, and who reads it (docs/contract/audit.md §4.1). `target` is the tenant whose log it is, null for logs of the node and of vaults. */
import { callers } from '#actors/protocol/callers.ts';

const VAULTS = 'a vault touches logs of vaults only';

/** A service whose grant covers the log's tenant; for a log of no tenant only the widest. */
export const WRITERS = callers({ service: 'at', certificates: ['vault'], further: VAULTS });

/** Whoever has a token asks which logs there are for it; others are left out. */
export const LISTERS = callers({
  users: [{ from: 'anywhere', impersonation: 'readonly' }],
  service: 'anywhere',
  certificates: ['vault'],
  further: 'logs that the caller may not read are left out',
});

/**
 * An administrator of the log's tenant, and a superadmin of it or of a plane over it; logs of no tenant are the control plane's. And an
 * auditor of either, whose role lets in nowhere else: it reads what others did, and changes nothing.
 */
export const READERS = callers({
  users: [
    { roles: ['tenant_admin', 'auditor'], from: 'at', impersonation: 'readonly' },
    { roles: ['superadmin', 'auditor'], from: 'at or over' },
  ],
  certificates: ['vault'],
  further: VAULTS,
});

/** Whoever may read the log, an impersonation excepted: what it saw must stay to be seen. */
export const ERASERS = callers({
  users: [
    { roles: ['tenant_admin'], from: 'at' },
    { roles: ['superadmin'], from: 'at or over' },
  ],
});
