/** Defaults that each create makes anew: `default_from` of a field (docs/contract/data-definitions.md §1.10). */
import { typesWhere, type FieldType } from '#config/values/field-types.ts';

/** Where the value may come from. */
export const DEFAULT_SOURCES = ['principal.subject', 'principal.tenant', 'now'] as const;
export type DefaultSource = (typeof DEFAULT_SOURCES)[number];

const OF_PRINCIPAL: readonly FieldType[] = typesWhere(({ holdsCallers }) => holdsCallers);
const OF_TIME: readonly FieldType[] = typesWhere(({ ofInstant }) => ofInstant !== null);

/** What of a field is asked here. */
interface Filled {
  readonly type: FieldType;
  readonly default?: unknown;
  readonly default_from?: DefaultSource;
  readonly materialize?: object;
}

interface Fault {
  readonly message: string;
  readonly mend: string;
}

/** What is wrong with the source, with what mends it; null when it is right. */
export function defaultFromFault({ type, default: value, default_from: from, materialize }: Filled): Fault | null {
  if (from === undefined) return null;
  if (value !== undefined) return { message: 'a field has one default', mend: 'remove `default` or `default_from`' };
  if (materialize !== undefined) return { message: 'a computed field takes no default', mend: 'remove `default_from`' };
  const fit = from === 'now' ? OF_TIME : OF_PRINCIPAL;
  if (fit.includes(type)) return null;
  return { message: `a field of type ${type} cannot hold ${from}`, mend: `choose one of ${fit.join(', ')}` };
}
