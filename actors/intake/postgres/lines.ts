/** Submissions as lines of the chain in the database, with what waits for them. */
import type { Accepted } from '../submission.ts';

/** The kind of the entry that a tenant's submission waits by, beside the kinds of notices. */
export const TENANT_KIND = 'tenant';

/** What a submission waits for, as entries. */
export function waitingOf({ id, form, notices, tenant }: Accepted) {
  const entries = notices.map((kind) => ({ id, kind: kind as string, form, tenant: null as string | null }));
  return tenant === undefined ? entries : [...entries, { id, kind: TENANT_KIND, form, tenant }];
}
