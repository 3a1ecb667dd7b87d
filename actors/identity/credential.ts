/** Refusals of the credential on a route that takes Bearer and ApiKey (docs/contract/identity.md §6.3). */
export const credential = ['auth_required', 'invalid_api_key', 'invalid_token', 'no_tenant', 'invalid tenant'] as const;
