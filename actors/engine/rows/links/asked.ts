/** What a write asks of links: a list of ids that replaces them, or `{add: [...], remove: [...]}` (docs/contract/data.md §6.9). */
import type { FieldFault, Input } from '#actors/kit/field-check.ts';
import { limits } from '#config/limits.ts';
import { FIELD_TYPES } from '#config/values/field-types.ts';
import type { EntityModel, Link } from '../model.ts';
import type { Session } from '../session.ts';
import { isOwn, isRead, isWritten } from './link.ts';

/** The change of one link, of keys of rows on the other side, each once. */
export interface AskedLink {
  readonly link: Link;
  readonly add: ReadonlySet<unknown>;
  readonly remove: ReadonlySet<unknown>;
  /** Whether links that are not in `add` end. */
  readonly replaces: boolean;
}

export interface AskedLinks {
  readonly links: readonly AskedLink[];
  /** The input without them. */
  readonly fields: Input;
}

/**
 * The links that an input names, with a fault for each value that does not fit and for each link that the caller does not write. Null where it
 * names none. A link that the caller neither reads nor writes stays in the input, as a name that is no field.
 */
export function linksIn(
  { principal }: Session,
  view: EntityModel,
  input: Input,
  faults: FieldFault[],
): AskedLinks | null {
  let fields: Record<string, unknown> | null = null;
  const links: AskedLink[] = [];
  for (const link of view.links.values()) {
    const { name } = link;
    if (!Object.hasOwn(input, name)) continue;
    const writes = isWritten(view, link);
    if (!writes && !isRead(link, (model) => model.seenBy(principal))) continue;
    fields ??= { ...input };
    delete fields[name];
    const asked = writes ? askedOf(link, input[name]) : notWritten(link);
    if (typeof asked === 'string') faults.push({ field: name, code: writes ? 'type' : 'read_only', message: asked });
    else links.push(asked);
  }
  return fields === null ? null : { links, fields };
}

const notWritten = (link: Link): string =>
  isOwn(link) ? 'is not written by this caller' : `is written at ${link.owner.name}, as ${link.declared}`;

const FORMS = 'must be a list of ids, or an object with lists of ids under add, remove or both';

/** What a value asks; a text says what does not fit. */
function askedOf(link: Link, value: unknown): AskedLink | string {
  if (Array.isArray(value)) {
    const add = keysOf(link, value);
    return typeof add === 'string' ? add : bounded({ link, add, remove: new Set(), replaces: true });
  }
  if (typeof value !== 'object' || value === null) return FORMS;
  const parts = Object.entries(value);
  if (parts.length === 0 || parts.some(([key, part]) => !(key === 'add' || key === 'remove') || !Array.isArray(part)))
    return FORMS;
  const { add: added = [], remove: removed = [] } = value as { add?: unknown[]; remove?: unknown[] };
  const add = keysOf(link, added);
  const remove = keysOf(link, removed);
  if (typeof add === 'string') return add;
  if (typeof remove === 'string') return remove;
  if ([...add].some((key) => remove.has(key))) return 'has an id under both add and remove';
  return bounded({ link, add, remove, replaces: false });
}

function keysOf({ over: { to } }: Link, list: readonly unknown[]): ReadonlySet<unknown> | string {
  const { of, expected } = FIELD_TYPES[to.key.type];
  const keys = new Set<unknown>();
  for (const one of list) {
    const key = of(one);
    if (key === undefined || key === null || to.idOf(key) === null)
      return `must hold ids of ${to.name}: each ${expected}`;
    keys.add(key);
  }
  return keys;
}

function bounded(asked: AskedLink): AskedLink | string {
  const most = limits.data.linkIdsMax;
  return asked.add.size + asked.remove.size > most
    ? `may name at most ${most} ids in one write: add further ones by {"add": [...]}`
    : asked;
}
