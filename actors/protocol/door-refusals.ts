/** What the door itself answers, as rows: every description of a route lists them. */
import { defineRefusals } from './refusal.ts';
import { RETRY_SOON } from './retry-after.ts';

export const doorRefusals = defineRefusals({
  'invalid tenant': {
    statuses: [400],
    family: 'coded',
    cause: 'invalid tenant',
  },
  'v2.no_tenant': {
    statuses: [403],
    family: 'coded',
    cause: 'the tenant at this position is not active: provision it first',
  },
  tenant_suspended: {
    statuses: [403],
    family: 'coded',
    cause: 'the operator of this node has suspended the tenant: nothing of it is served until it is resumed',
  },
  tenant_read_only: {
    statuses: [403],
    family: 'coded',
    cause: 'the operator of this node has made the tenant read-only: reads and logins go on, nothing is written',
  },
  tenant_quota: {
    statuses: [429],
    family: 'coded',
    cause: 'the tenant has used up what its operator lets it use today; it begins anew at midnight UTC (`Retry-After`)',
  },
  cross_origin: {
    statuses: [403],
    family: 'coded',
    cause:
      'the credential of the request is a cookie, and the request does not come from a page of the site: send it with fetch from there, or use Authorization',
  },
  body_too_large: { statuses: [413], family: 'coded', cause: 'the body is larger than this route takes' },
  body_too_slow: { statuses: [408], family: 'coded', cause: 'the body did not arrive in time' },
  rate_limited: { statuses: [429], family: 'rate', cause: 'the bucket of this profile and caller is empty' },
  overloaded: {
    statuses: [503],
    family: 'coded',
    cause: 'too many requests are in flight; try again shortly',
    headers: RETRY_SOON,
  },
  unavailable: {
    statuses: [503],
    family: 'coded',
    cause: 'the thread that serves this tenant restarts; a change that was in flight may or may not have happened',
    headers: RETRY_SOON,
  },
  suspended: {
    statuses: [503],
    family: 'coded',
    cause:
      'this route of this tenant has held its host until the host was replaced, more than once; it is refused until Retry-After has passed',
  },
  not_found: { statuses: [404], family: 'bare', cause: 'no route at this path' },
  method_not_allowed: { statuses: [405], family: 'bare', cause: 'a known path with a verb that has no row' },
});
