/** Refusals of the credential on a route that takes Bearer and ApiKey (docs/contract/identity.md §6.3); `rate_limited`: a key has a rate of its own. */
export const credential = [
  'auth_required',
  'invalid_api_key',
  'invalid_token',
  'no_tenant',
  'invalid tenant',
  'rate_limited',
] as const;

/**
 * The same on routes that the contract's tables of errors do not name: at a tenant that is not active they answer as a login does. A bearer of elsewhere
 * there is no fault of the node, so it is no 500 (docs/decisions/identity.md ID-77).
 */
export const credentialHere = [...credential, 'tenant_inactive'] as const;
