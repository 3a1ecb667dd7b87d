/** What a refusal says of each field. */
import { isSkepError } from '@skep/client';

export type Faults = Readonly<Record<string, readonly string[]>>;

export function faultsOf(error: unknown): Faults {
  const fields = isSkepError(error) ? (error.details as { readonly fields?: unknown }).fields : undefined;
  if (typeof fields !== 'object' || fields === null) return {};
  return Object.fromEntries(
    Object.entries(fields).map(([name, said]) => [name, [said].flat().map((one) => String(one))]),
  );
}
