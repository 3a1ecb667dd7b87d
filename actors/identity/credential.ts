/** What presenting a credential can meet on a route that takes Bearer and ApiKey (identity.md "Errors"). */
export const credential = ['auth_required', 'invalid_api_key', 'invalid_token', 'no_tenant', 'invalid tenant'] as const;
