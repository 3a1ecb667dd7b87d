/** Query-string parameters of rows, in all spellings of the contract (docs/contract/data.md §5.1). */

/** Keys that are never predicates, in upper or lower case. */
const RESERVED: ReadonlySet<string> = new Set(
  (
    'select orderby order_by limit offset page pagesize after before include filter fields groupby having depth deleted ' +
    'stats sendstats meta sendmeta states sendstates allowedactions sendallowedactions sendhash unmask untokenize purge ' +
    'deletechildren noversion delta scd cdc customstateflow event field expression alias version datastore download ' +
    '[aggregate] [bucket] [zone] [on]'
  ).split(' '),
);

/** `[relation][option]`: an option of an include. None of them is an operator, so no condition can be meant. */
const INCLUDE_OPTION = /^\[([^[\]]+)\]\[(filter|select|orderby|limit)\]$/i;

export type IncludeOption = 'filter' | 'select' | 'orderby' | 'limit';

export interface IncludeText {
  /** As `include` has it. */
  readonly relation: string;
  readonly option: IncludeOption;
  readonly text: string;
}

/** Whether a key of a query string has a meaning of its own on routes of rows. */
export function isReserved(key: string): boolean {
  return RESERVED.has(key.toLowerCase());
}

/** The name of a tenant's datastore; there is one. */
export const DEFAULT_DATASTORE = 'default';

export class Parameters {
  readonly #reserved = new Map<string, string>();
  /** `key=value` pairs that are predicates, `filter` split on its first `=`; null as value where there was none. */
  readonly predicates: [field: string, value: string | null][] = [];
  /** The same for `having`. */
  readonly having: [field: string, value: string | null][] = [];
  /** The options of includes. */
  readonly included: IncludeText[] = [];
  /** Whether cursors were asked for. An empty `after` or `before` asks too: that is how the first and the last page are requested. */
  readonly cursors: boolean;

  /** Whether the query string has no reserved key. */
  get none(): boolean {
    return this.#reserved.size === 0;
  }

  /** Reserved keys are read in upper or lower case, by their first value; an empty value counts as absent. */
  constructor(search: URLSearchParams) {
    let cursors = false;
    for (const [key, value] of search) {
      const name = key.toLowerCase();
      if (!RESERVED.has(name)) this.#add(key, value);
      else if (name === 'filter') addPair(this.predicates, value);
      else if (name === 'having') addPair(this.having, value);
      else if (name === 'after' || name === 'before') cursors = true;
      if (value !== '' && RESERVED.has(name) && !this.#reserved.has(name)) this.#reserved.set(name, value);
    }
    this.cursors = cursors;
  }

  #add(key: string, text: string): void {
    const match = key.startsWith('[') ? INCLUDE_OPTION.exec(key) : null;
    if (match === null) this.predicates.push([key, text]);
    else this.included.push({ relation: match[1]!, option: match[2]!.toLowerCase() as IncludeOption, text });
  }

  /** The value under the first of the spellings that is given. */
  first(...spellings: readonly string[]): string | undefined {
    for (const name of spellings) {
      const value = this.#reserved.get(name);
      if (value !== undefined) return value;
    }
    return undefined;
  }

  flag(...spellings: readonly string[]): boolean {
    return this.first(...spellings)?.toLowerCase() === 'true';
  }
}

function addPair(pairs: [string, string | null][], value: string): void {
  if (value === '') return;
  const cut = value.indexOf('=');
  pairs.push(cut < 0 ? [value, null] : [value.slice(0, cut), value.slice(cut + 1)]);
}

/** The query string with other values of some reserved keys, as a link relative to the request. */
export function changedQuery(search: URLSearchParams, changes: Readonly<Record<string, string>>): string {
  const changed = new URLSearchParams();
  for (const [key, value] of search) if (!Object.hasOwn(changes, key.toLowerCase())) changed.append(key, value);
  for (const [key, value] of Object.entries(changes)) changed.append(key, value);
  return changed.toString();
}
