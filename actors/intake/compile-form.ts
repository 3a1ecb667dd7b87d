/** Compiles a form to closures: one pass over a submission finds all of its faults. Spec: docs/contract/intake.md §3.1. */
import type { AltchaCaptcha } from '#config/definitions/captcha-section.ts';
import type { FormDefinition } from '#config/definitions/form.ts';
import { limits } from '#config/limits.ts';
import { fuelled } from '#actors/kit/pace/fuel.ts';
import { compileField, type CheckValue } from './check-field.ts';
import { CAPTCHA_FIELD, IDEMPOTENCY_FIELD, isEmpty, valueOf, type Input } from './input.ts';
import type { FieldValue, Fields } from './submission.ts';

/** Reasons by field. */
type Faults = Readonly<Record<string, readonly string[]>>;

type Checked = { readonly ok: true; readonly fields: Fields } | { readonly ok: false; readonly faults: Faults };

export interface CompiledForm {
  readonly id: string;
  readonly captcha: AltchaCaptcha | undefined;
  /** Whether the hidden input (honeypot) is filled: a program fills it, a person does not see it. */
  isBot(input: Input): boolean;
  check(input: Input): Checked;
}

/** A form that cannot be checked; the service refuses to start. */
export class FormFault extends Error {}

interface CompiledField {
  readonly name: string;
  readonly required: boolean;
  readonly check: CheckValue;
}

/** Compiles a form. Throws FormFault, naming file, line and field, when a declaration cannot be checked. */
export function compileForm(definition: FormDefinition): CompiledForm {
  const { id, honeypot, captcha } = definition;
  const fields = Object.entries(definition.fields).map(([name, field]): CompiledField => {
    try {
      return { name, required: field.required === true, check: compileField(field) };
    } catch (error) {
      throw new FormFault(`${definition.where}: form ${id}, field ${name}: ${(error as Error).message}`, {
        cause: error,
      });
    }
  });
  const known = new Set([IDEMPOTENCY_FIELD, ...fields.map((field) => field.name)]);
  if (honeypot !== undefined) known.add(honeypot);
  if (captcha !== undefined) known.add(CAPTCHA_FIELD);
  return {
    id,
    captcha,
    isBot: (input) => honeypot !== undefined && !isEmpty(valueOf(input, honeypot)),
    // A multipart body is read over several turns, so the fuel of the call's first turn is gone: the check gets its own.
    check: (input) => fuelled(limits.host.turnUnits, () => checkAll(fields, known, input)),
  };
}

function checkAll(fields: readonly CompiledField[], known: ReadonlySet<string>, input: Input): Checked {
  const faults = Object.create(null) as Record<string, readonly string[]>;
  const values: Record<string, FieldValue> = {};
  let good = true;
  for (const field of fields) {
    const reasons: string[] = [];
    const value = checkOne(field, input, reasons);
    if (value !== undefined) values[field.name] = value;
    if (reasons.length === 0) continue;
    faults[field.name] = reasons;
    good = false;
  }
  for (const name in input.values) {
    if (known.has(name)) continue;
    faults[name] = ['is not a field of this form'];
    good = false;
  }
  return good ? { ok: true, fields: values } : { ok: false, faults };
}

function checkOne(field: CompiledField, input: Input, reasons: string[]): FieldValue | undefined {
  const value = valueOf(input, field.name);
  if (isEmpty(value)) {
    if (field.required) reasons.push('is required');
    return undefined;
  }
  if (input.repeated.has(field.name)) {
    reasons.push('was given more than once');
    return undefined;
  }
  return field.check(value, input.asText, reasons);
}
