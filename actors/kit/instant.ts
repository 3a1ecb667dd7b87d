/** Reading instants back: strict, and fail-closed. */
const RFC3339 = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)$/;

/** Milliseconds of an RFC 3339 §5.6 date-time; NaN for anything else, so that every comparison with it is false. */
export function instantMs(value: unknown): number {
  return typeof value === 'string' && RFC3339.test(value) ? Date.parse(value) : NaN;
}
