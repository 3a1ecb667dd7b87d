/** A form of the intake service, read and checked by `load-forms.ts`. Shape: docs/contract/intake.md §3.1. */

import type { AltchaCaptcha } from './captcha-section.ts';

export type FormFieldType = 'string' | 'integer' | 'number' | 'boolean' | 'date' | 'email' | 'url' | 'enum' | 'file';

export interface FormField {
  readonly type: FormFieldType;
  readonly required?: boolean;
  /** Range of the value; on `integer` and `number` only. */
  readonly min?: number;
  readonly max?: number;
  /** In characters; on `string`, `email` and `url` only. On `file` max_length is in bytes. */
  readonly min_length?: number;
  readonly max_length?: number;
  /** An RE2 expression that the value must contain; on `string` only. */
  readonly pattern?: string;
  /** One of FIELD_FORMATS; on `string` only. */
  readonly format?: string;
  /** The values of an `enum` field, at least one. */
  readonly enum?: readonly string[];
}

export interface FormNotify {
  readonly email?: { readonly to: readonly string[]; readonly subject?: string; readonly reply_to_field?: string };
  readonly chat?: { readonly webhook?: string };
}

export interface FormDefinition {
  readonly id: string;
  readonly title?: string;
  /** In the order of the file. Names match `^[a-z][a-z0-9_]{0,62}$`. */
  readonly fields: Readonly<Record<string, FormField>>;
  /** Name of the hidden input that only bots fill in; it is never one of `fields`. */
  readonly honeypot?: string;
  /** A proof of work that each submission shows. */
  readonly captcha?: AltchaCaptcha;
  readonly notify?: FormNotify;
  /** The field with the e-mail address of the person who submits: an `email` or a `string`. Without it the form has no submissions of a person. */
  readonly person?: string;
  /** The tenant, `customer:product:env:tenant`, that gets the submissions; absent where they stay with intake. */
  readonly tenant?: string;
  /** Go duration, such as `2160h0m0s`; absent keeps records for ever. */
  readonly retention?: string;
  /** File, line and column of the definition, for messages. */
  readonly where: string;
}
