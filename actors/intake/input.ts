/** The members of a body, as parsed. */

export interface Input {
  readonly values: Readonly<Record<string, unknown>>;
  /** True when values are texts, as a urlencoded body and the parts of a multipart one have them; a file part is a StoredFile. */
  readonly asText: boolean;
  /** Names that came more than once in such a body. */
  readonly repeated: ReadonlySet<string>;
}

/** Bounds of a body. */
export interface BodyLimits {
  /** `http.max_body_bytes`. */
  readonly bodyBytesMax: number;
  /** `http.max_fields`. */
  readonly fieldsMax: number;
  /** `http.max_parts`. */
  readonly partsMax: number;
}

/** The member that carries an idempotency key where a header cannot (a plain HTML form). */
export const IDEMPOTENCY_FIELD = '_idempotency_key';

/** A member's value; a field may be called `constructor`, which every object has. */
export function valueOf(input: Input, name: string): unknown {
  return Object.hasOwn(input.values, name) ? input.values[name] : undefined;
}

/** An input left blank arrives as an empty text: no value. */
export function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}
