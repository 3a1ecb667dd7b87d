/** What a row whose handler calls `readBody` lists among its refusals. */
export const BODY_REFUSALS = ['v2.bad_json', 'v2.invalid_body', 'v2.datastore_not_found'] as const;
