/** Names in a tenant's GraphQL schema. Entities take theirs first, so that a derived name gives way. */

/** `city_photo` → `CityPhoto`. */
export function pascalCase(name: string): string {
  return name
    .split('_')
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join('');
}

/** Gives every name once: one that is taken gets underscores at its end. */
export class Names {
  readonly #taken: Set<string>;

  constructor(reserved: Iterable<string> = []) {
    this.#taken = new Set(reserved);
  }

  give(wanted: string): string {
    let name = wanted;
    while (this.#taken.has(name)) name += '_';
    this.#taken.add(name);
    return name;
  }
}

const ENUM_VALUE = /^[_A-Za-z][_0-9A-Za-z]*$/;
const NO_ENUM_VALUES: ReadonlySet<string> = new Set(['true', 'false', 'null']);

/** Whether declared values can be spelt in GraphQL; else the field is a String there (GraphQL §3.9, names and reserved words). */
export function canBeEnum(values: readonly string[]): boolean {
  const named = values.every(
    (value) => ENUM_VALUE.test(value) && !NO_ENUM_VALUES.has(value) && !value.startsWith('__'),
  );
  return named && values.length > 0 && new Set(values).size === values.length;
}
