/** What the address of the schema says: the entity that is open, and what is searched for. Pure. */
export interface SchemaSearch {
  readonly entity?: string;
  readonly q?: string;
}

export function readSearch(raw: Readonly<Record<string, unknown>>): SchemaSearch {
  const text = (name: string): Record<string, string> =>
    typeof raw[name] === 'string' && raw[name] !== '' ? { [name]: raw[name] } : {};
  return { ...text('entity'), ...text('q') };
}
