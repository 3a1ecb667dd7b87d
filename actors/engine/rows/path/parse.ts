/**
 * Paths to values that a row leads to: `ticket.organisation.name` over references, `meta/address/city` into a json field, and both
 * (docs/contract/data.md §5.4.1, §5.4.2). A path through what the asker may not read is answered as one that leads nowhere: as an unknown field.
 */
import { limits } from '#config/limits.ts';
import { FIELD_TYPES } from '#config/values/field-types.ts';
import { failure, type Failure } from '../failure.ts';
import { forwardOf } from '../include/relation.ts';
import type { EntityModel, Reference } from '../model.ts';
import type { FarValue } from '../query.ts';
import { unknownField } from '../unknown-field.ts';
import { fieldsSeen, mayCompare, seenOf, type Asker } from './asker.ts';
import { partOf } from './part.ts';

/** A key of a query string or a body: `[path]`, or `[path][op]`. */
const KEY = /^\[([^[\]]+)\](?:\[([^[\]]*)\])?$/;

export interface PathKey {
  readonly path: string;
  /** Undefined where the key names none. */
  readonly op: string | undefined;
}

/** Undefined for a key that is no path. */
export function pathKeyOf(key: string): PathKey | undefined {
  const match = key.startsWith('[') ? KEY.exec(key) : null;
  return match === null ? undefined : { path: match[1]!, op: match[2] };
}

/** Where the path leads. 422 for one that leads nowhere, that the asker may not follow, or that is too long. Without an asker references are not followed. */
export function parsePath(model: EntityModel, path: string, asker: Asker | null): FarValue | Failure {
  const [names, ...members] = path.split('/');
  const relations = names!.split('.');
  const field = relations.pop()!;
  const inside = members.map(unescaped);
  const tooLong = lengthFault(relations, inside);
  if (tooLong !== null) return tooLong;
  const hops = hopsOf(model, relations, asker);
  if (hops === null || hops.length + inside.length === 0) return unknownField(model, path);
  return endOf(model, hops, field, inside, asker) ?? unknownField(model, path);
}

/** Where references lead that are known already, as in GraphQL, whose filters are nested. Undefined for a relation that the asker may not follow. */
export function hopOf(model: EntityModel, relation: string, asker: Asker | null): Reference | undefined {
  const reference = forwardOf(model, relation, (other) => fieldsSeen(asker, other));
  return reference === undefined || asker === null || seenOf(asker, reference.to) === 'none' ? undefined : reference;
}

/** The value at the end of the hops. Undefined for a field that is not there, that the asker may not compare, or that has no parts. */
export function endOf(
  model: EntityModel,
  hops: readonly Reference[],
  field: string,
  inside: readonly string[],
  asker: Asker | null,
): FarValue | undefined {
  const last = hops.length === 0 ? model : fieldsSeen(asker, hops.at(-1)!.to);
  const column = last.column(field);
  if (column === undefined || (inside.length > 0 && !FIELD_TYPES[column.type].hasMembers)) return undefined;
  if (hops.length > 0 && (asker === null || !mayCompare(asker, last, column))) return undefined;
  const { at } = column;
  const read = hops.length === 0 ? (slots: readonly unknown[]) => partOf(slots[at], inside) : null;
  return { hops, column, inside, read };
}

/** 422 for a path that is longer than any may be, before anything is looked up. */
export function lengthFault(relations: readonly unknown[], inside: readonly unknown[]): Failure | null {
  const { filterHopsMax, jsonPathMax } = limits.data;
  if (relations.length > filterHopsMax)
    return failure(422, `a path follows at most ${filterHopsMax} references`, { most: filterHopsMax });
  return inside.length > jsonPathMax
    ? failure(422, `a path goes at most ${jsonPathMax} members into a json value`, { most: jsonPathMax })
    : null;
}

function hopsOf(model: EntityModel, relations: readonly string[], asker: Asker | null): Reference[] | null {
  const hops: Reference[] = [];
  for (const name of relations) {
    const reference = hopOf(hops.at(-1)?.to ?? model, name, asker);
    if (reference === undefined) return null;
    hops.push(reference);
  }
  return hops;
}

/** The members of a JSON pointer (RFC 6901 §3), with or without the slash at its beginning. */
export function membersOf(pointer: string): string[] {
  return (pointer.startsWith('/') ? pointer.slice(1) : pointer).split('/').map(unescaped);
}

const unescaped = (member: string): string => member.replaceAll('~1', '/').replaceAll('~0', '~');
