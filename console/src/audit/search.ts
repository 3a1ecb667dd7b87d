/** What is searched for, as the address has it. Pure. */
const FILTERS = ['actor', 'action', 'target', 'outcome', 'since', 'until'] as const;
export type Filter = (typeof FILTERS)[number];

export type AuditSearch = Partial<Readonly<Record<Filter, string>>> & {
  /** The log; the control plane's without it. */
  readonly log?: string;
  /** The number of the record whose sheet is open. */
  readonly record?: number;
};

/** The search of an address, whatever a person has written there. */
export function readSearch(raw: Readonly<Record<string, unknown>>): AuditSearch {
  // An address that looks like a number or a truth value was read as one.
  const texts = Object.entries(raw).flatMap(([name, value]): [string, string][] => {
    const isText = ['string', 'number', 'boolean'].includes(typeof value) && value !== '';
    return isText && ['log', ...FILTERS].includes(name) ? [[name, String(value)]] : [];
  });
  const record = /^\d{1,15}$/.test(String(raw['record'])) ? { record: Number(raw['record']) } : {};
  return { ...Object.fromEntries(texts), ...record };
}

/** The filters as the node takes them. */
export const filtersOf = (search: AuditSearch): Partial<Record<Filter, string>> =>
  Object.fromEntries(
    FILTERS.flatMap((name) => {
      const value = search[name];
      return value === undefined || value === '' ? [] : [[name, value]];
    }),
  );

/** A time as a person's clock shows it, for a field of a form; empty where the text is no time. */
export function toField(instant: string | undefined): string {
  const at = new Date(instant ?? '');
  if (Number.isNaN(at.getTime())) return '';
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** The instant of such a field; undefined where it is empty. */
export function fromField(value: string): string | undefined {
  const at = new Date(value);
  return Number.isNaN(at.getTime()) ? undefined : at.toISOString();
}
