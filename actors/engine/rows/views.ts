/**
 * Entities as callers with certain roles see and write them (docs/contract/data-definitions.md §2.2). A view is the model with fewer
 * columns: what it does not show is no field for whatever parses, shows or describes rows by it. Rules, keys and slots stay those of the
 * whole model. It is made once for all callers who see the same; an entity without roles of fields has none.
 */
import { limits } from '#config/limits.ts';
import type { EntityDefinition } from '#config/definitions/product.ts';
import { RowCheck } from '#actors/kit/field-check.ts';
import type { Mask } from '#actors/kit/mask.ts';
import { TokenCache } from '#actors/kit/token/cache.ts';
import type { Principal } from '#actors/protocol/principal.ts';
import { jsonWriterOf } from './json-writer.ts';
import type { Row, Slots } from './codec.ts';
import { NONE_COMPUTED, type ComputedFields } from './computed.ts';

interface Shown {
  readonly name: string;
  /** Its position in the slots of a row. */
  readonly at: number;
  readonly mask: Mask | null;
}

/** What views need of a model. */
interface Whole {
  readonly columns: readonly Shown[];
  readonly key: Shown;
  readonly computed: ComputedFields;
  readonly check: RowCheck;
  readonly places: readonly number[];
  readonly indexes: readonly { readonly names: readonly string[] }[];
  readonly show: (slots: Slots) => Row;
}

/** What a view adds to its model. */
export interface Sight<C> {
  /** A text that is the same for views of the entity that show and take the same. */
  readonly key: string;
  /** Fields that the caller may name in a write, whether it may set them or only send them back. */
  readonly named: ReadonlyMap<string, C>;
  /** Positions of the fields that the caller writes and does not read. */
  readonly unseen: ReadonlySet<number>;
  /** Names of fields and links that the caller does not read, and of those that it does not write. */
  readonly unread: ReadonlySet<string>;
  readonly unwritten: ReadonlySet<string>;
}

interface Guarded {
  /** Of a link, which has no slot, one at no position. */
  readonly column: Shown;
  readonly read: ReadonlySet<string> | null;
  readonly write: ReadonlySet<string> | null;
}

export class Views<M extends Whole> {
  readonly #whole: M;
  readonly #guarded: readonly Guarded[];
  readonly #byPrincipal = new WeakMap<Principal, M>();
  readonly #byKey = new TokenCache<M>(limits.data.fieldViewsKept);

  constructor(whole: M, guarded: readonly Guarded[]) {
    this.#whole = whole;
    this.#guarded = guarded;
  }

  /** The entity as a principal sees it. Principals never change, and so neither does the answer. */
  of(principal: Principal): M {
    let view = this.#byPrincipal.get(principal);
    if (view === undefined) this.#byPrincipal.set(principal, (view = this.#made(principal)));
    return view;
  }

  #made(principal: Principal): M {
    if (principal.superadmin || principal.type === 'internal') return this.#whole;
    const admits = (roles: Guarded['read']): boolean =>
      roles === null || principal.roles.some((role) => roles.has(role));
    const rights = this.#guarded.map(({ column, read, write }) => {
      return { column, reads: admits(read), writes: admits(write) };
    });
    if (rights.every(({ reads, writes }) => reads && writes)) return this.#whole;
    const key = rights.map(({ reads, writes }) => Number(reads) + 2 * Number(writes)).join('');
    let view = this.#byKey.get(key);
    if (view === undefined) this.#byKey.set(key, (view = viewOf(this.#whole, rights, key)));
    return view;
  }
}

/** The views of a model; null where neither its fields nor its links have roles. */
export function viewsOf<M extends Whole>(whole: M, { fields, links = {} }: EntityDefinition): Views<M> | null {
  const linked = Object.entries(links).flatMap(([name, { roles }]): Guarded[] =>
    roles === undefined
      ? []
      : [{ column: { name, at: NOWHERE, mask: null }, read: setOf(roles.read), write: setOf(roles.write) }],
  );
  const columns = whole.columns.flatMap((column): Guarded[] => {
    const roles = Object.hasOwn(fields, column.name) ? fields[column.name]!.roles : undefined;
    if (roles === undefined || column.name === whole.key.name) return [];
    return [{ column, read: setOf(roles.read), write: setOf(roles.write) }];
  });
  const guarded = [...columns, ...linked];
  return guarded.length === 0 ? null : new Views(whole, guarded);
}

const NOWHERE = -1;

const setOf = (roles: readonly string[] | undefined): ReadonlySet<string> | null =>
  roles === undefined ? null : new Set(roles);

interface Right {
  readonly column: Shown;
  readonly reads: boolean;
  readonly writes: boolean;
}

function viewOf<M extends Whole>(whole: M, rights: readonly Right[], key: string): M {
  const hidden = new Set(rights.filter(({ reads }) => !reads).map(({ column }) => column.name));
  const kept = new Set(rights.filter(({ writes }) => !writes).map(({ column }) => column.name));
  const columns = whole.columns.filter(({ name }) => !hidden.has(name));
  const byName = new Map(columns.map((column) => [column.name, column]));
  const isWritten = ({ name }: { readonly name: string }): boolean => !kept.has(name);
  const isNamed = ({ name }: Shown): boolean => !hidden.has(name) || !kept.has(name);
  const named = new Map(whole.columns.filter(isNamed).map((column) => [column.name, column]));
  const unseen = new Set(rights.filter(({ reads, writes }) => writes && !reads).map(({ column }) => column.at));
  const sight: Sight<Shown> = { key, named, unseen, unread: hidden, unwritten: kept };
  const json = jsonWriterOf(columns);
  // The texts that rows keep are those of the whole row.
  const shown = {
    sight,
    columns,
    byName,
    computed: seenOf(whole.computed, hidden),
    json,
    jsonOf: ({ slots }: { readonly slots: Slots }) => json(slots),
    masked: columns.some(({ mask }) => mask !== null),
    show: (slots: Slots) => without(whole.show(slots), hidden),
    indexes: whole.indexes.filter(({ names }) => names.every((name) => !hidden.has(name))),
    check: new RowCheck(whole.check.fields.filter(isWritten)),
    places: whole.places.filter((_, i) => isWritten(whole.check.fields[i]!)),
  };
  return Object.assign(Object.create(whole) as M, shown);
}

/** The computed fields of which the caller reads all that they are computed from. */
function seenOf(computed: ComputedFields, hidden: ReadonlySet<string>): ComputedFields {
  if (computed.size === 0) return NONE_COMPUTED;
  return new Map([...computed].filter(([, { reads }]) => ![...reads].some((name) => hidden.has(name))));
}

function without(row: Row, hidden: ReadonlySet<string>): Row {
  return Object.fromEntries(Object.entries(row).filter(([name]) => !hidden.has(name)));
}
