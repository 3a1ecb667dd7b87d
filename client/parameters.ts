/** What the requests of several parts say alike. */

/** The parameters that are set. */
export function queryOf(named: object): URLSearchParams {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(named)) if (value !== undefined) query.set(name, String(value));
  return query;
}

/** The condition that a row has this version: its ETag (docs/contract/common.md §4.2). */
export function matching({ version }: { readonly version?: number | undefined }): Record<string, string> {
  return version === undefined ? {} : { 'If-Match': `"${version}"` };
}
