/** What the door itself answers, as rows: every description of a route lists them. */
import { coded, defineRefusals } from './refusal.ts';
import { RETRY_SOON } from './retry-after.ts';

export const doorRefusals = defineRefusals({
  'invalid tenant': coded(400, 'invalid tenant'),
  'v2.no_tenant': coded(403, 'the tenant at this position is not active: provision it first'),
  tenant_suspended: coded(
    403,
    'the operator of this node has suspended the tenant: nothing of it is served until it is resumed',
  ),
  tenant_read_only: coded(
    403,
    'the operator of this node has made the tenant read-only: reads and logins go on, nothing is written',
  ),
  tenant_quota: coded(
    429,
    'the tenant has used up what its operator lets it use within this day or month (UTC); `Retry-After` says when it begins anew',
  ),
  tenant_full: coded(
    507,
    'the tenant has as many rows, or as many bytes of rows, as its operator lets it have: deletes and writes that do not grow are let in',
  ),
  cross_origin: coded(
    403,
    'the credential of the request is a cookie, and the request does not come from a page of the site: send it with fetch from there, or use Authorization',
  ),
  body_too_large: coded(413, 'the body is larger than this route takes'),
  body_too_slow: coded(408, 'the body did not arrive in time'),
  rate_limited: { statuses: [429], family: 'rate', cause: 'the bucket of this profile and caller is empty' },
  overloaded: coded(503, 'too many requests are in flight; try again shortly', RETRY_SOON),
  unavailable: coded(
    503,
    'the thread that serves this tenant restarts; a change that was in flight may or may not have happened',
    RETRY_SOON,
  ),
  suspended: coded(
    503,
    'this route of this tenant has held its host until the host was replaced, more than once; it is refused until Retry-After has passed',
  ),
  not_found: { statuses: [404], family: 'bare', cause: 'no route at this path' },
  method_not_allowed: { statuses: [405], family: 'bare', cause: 'a known path with a verb that has no row' },
});
