/** Refusals of the credential on a route that takes Bearer and ApiKey (docs/contract/identity.md §6.3); `rate_limited`: a key has a rate of its own. */
export const credential = [
  'auth_required',
  'invalid_api_key',
  'invalid_token',
  'no_tenant',
  'invalid tenant',
  'rate_limited',
] as const;
