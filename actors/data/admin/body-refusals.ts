/** The refusals of `readBody`: rows whose handlers call it list them. */
export const BODY_REFUSALS = ['v2.bad_json', 'v2.invalid_body', 'v2.datastore_not_found'] as const;
