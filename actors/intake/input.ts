/** The members of a body, as parsed. */

export interface Input {
  readonly values: Readonly<Record<string, unknown>>;
  /** True when values are texts, as in a urlencoded or multipart body; a file part is a StoredFile. */
  readonly asText: boolean;
  /** Names that such a body has more than once. */
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

/** The member with the idempotency key of a plain HTML form, which cannot send a header. */
export const IDEMPOTENCY_FIELD = '_idempotency_key';

/** The member with the answer of ALTCHA's widget. */
export const CAPTCHA_FIELD = 'altcha';

/** A member's own value: a field may be called `constructor`, which every object inherits. */
export function valueOf(input: Input, name: string): unknown {
  return Object.hasOwn(input.values, name) ? input.values[name] : undefined;
}

/** Whether there is no value: a browser sends an empty text for a blank input. */
export function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}
