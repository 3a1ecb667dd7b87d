/**
 * Names without a meaning in rules: `row.requestor` of an entity whose field is `requester` is not an error in CEL, it only denies. All
 * names that a rule can use are known beforehand, except those inside of json fields.
 */
import type { EntityDefinition, Trait } from '#config/definitions/product.ts';
import { suggestion } from '#config/values/suggest.ts';
import type { ASTNode } from '@marcbachmann/cel-js';
import type { PartFault } from './part-fault.ts';
import { environment, walk } from './rule-environment.ts';
import { FIELD_TYPES } from '#config/values/field-types.ts';

/** Whether a member may have members of its own. */
export type Member = 'plain' | 'open';

/** Members of the inputs of a rule; absent when they are not known. */
export interface Vocabulary {
  readonly row?: ReadonlyMap<string, Member>;
  readonly principal: ReadonlyMap<string, Member>;
  readonly request: ReadonlyMap<string, Member>;
  /** Of `request.data`. */
  readonly data?: ReadonlyMap<string, Member>;
}

/** Members of `principal` as rules see it, and what each is, for the reference; the rooms that evaluate rules build it. */
export const PRINCIPAL = {
  type: 'what asks: `user`, `service` (a token of a key), `key`, `static`, `anonymous`',
  subject: 'the id of the user or the key; `apikey:<id>` for a token of a key; empty for the anonymous one',
  tenant: 'the key of the tenant to which the credential belongs, `customer:product:env:tenant`',
  roles: 'a list of roles',
  scope: 'the grants of a key, a list; each is `customer:env:product:tenant`',
  superadmin: 'true or false',
  sid: 'the id of the session, or null',
  actor: 'the id of the operator who acts for the user, or null',
} as const;

/** Members of `request` in rules of rows, and what each is, for the reference. */
export const ROW_REQUEST = {
  method: 'the HTTP method of the request',
  operation: 'what is done with the row: `create`, `read`, `update`, `delete`, `restore`; of an action its section',
  entity: 'the name of the entity',
  id: 'the id that the request names, or null; of an action its name',
  data: 'what is to be written, or null; of an action its parameters',
} as const;

/** Members of `request` in rules of stores and apps, and what each is, for the reference. */
export const CONTENT_REQUEST = {
  method: 'the HTTP method of the request; GET for a HEAD',
  operation: 'the operation, as the rule is named',
  of: 'the name of the store or the app',
  id: 'the id of the asset, folder, tag or document, or null',
  data: 'the fields that are to be written, or null',
} as const;

export function vocabularyOf(
  request: readonly string[],
  row: ReadonlyMap<string, Member> | undefined,
  data: ReadonlyMap<string, Member> | undefined,
): Vocabulary {
  return {
    ...(row !== undefined && { row }),
    ...(data !== undefined && { data }),
    principal: new Map(
      Object.keys(PRINCIPAL).map((name) => [name, name === 'roles' || name === 'scope' ? 'open' : 'plain']),
    ),
    request: new Map(request.map((name) => [name, name === 'data' ? 'open' : 'plain'])),
  };
}

/** Columns that a trait keeps. */
export const KEPT: Readonly<Record<Trait, readonly string[]>> = {
  timestamps: ['created_at', 'updated_at'],
  soft_delete: ['deleted_at', 'deleted_by'],
  versioned: ['version'],
};

/** Members of an entity's row, as rules see it. */
export function rowMembers({ fields, traits }: EntityDefinition): Map<string, Member> {
  const members = new Map<string, Member>([['id', 'plain']]);
  for (const [name, { type }] of Object.entries(fields))
    members.set(name, FIELD_TYPES[type].hasMembers ? 'open' : 'plain');
  for (const trait of traits) for (const name of KEPT[trait]) members.set(name, 'plain');
  return members;
}

/** A fault for each name without a meaning, with the nearest name that has one. A rule that does not parse has no such faults. */
export function nameFaults(source: string, part: string, where: string, vocabulary: Vocabulary): PartFault[] {
  const ast = parsed(source);
  if (ast === null) return [];
  const own = ownNames(ast);
  const faults = new Set<string>();
  walk(ast, (node) => {
    const named = accessOf(node);
    if (named === null) return;
    const found = membersOf(named.of, vocabulary, own);
    if (found === null) return;
    const fault = faultIn(found, named.name);
    if (fault !== null) faults.add(fault);
  });
  return [...faults].map((reason) => ({ part, where, reason }));
}

function parsed(source: string): ASTNode | null {
  try {
    return environment.parse(source).ast;
  } catch {
    return null;
  }
}

const MACROS: ReadonlySet<string> = new Set(['all', 'exists', 'exists_one', 'map', 'filter', 'bind']);

/** Variables that the rule makes itself: one may be called `row`. */
function ownNames(ast: ASTNode): ReadonlySet<string> {
  const own = new Set<string>();
  walk(ast, (node) => {
    if (node.op !== 'rcall' || !MACROS.has(node.args[0])) return;
    const [variable] = node.args[2];
    if (variable?.op === 'id') own.add(variable.args);
  });
  return own;
}

interface Access {
  readonly of: ASTNode;
  readonly name: string;
}

/** `of.name` or `of["name"]`, optional or not. */
function accessOf(node: ASTNode): Access | null {
  if (node.op !== '.' && node.op !== '.?' && node.op !== '[]' && node.op !== '[?]') return null;
  const [of, name] = node.args as [ASTNode, ASTNode | string];
  if (typeof name === 'string') return { of, name };
  return name.op === 'value' && typeof name.args === 'string' ? { of, name: name.args } : null;
}

interface Known {
  /** As the rule writes it. */
  readonly path: string;
  /** Null for a value without members. */
  readonly members: ReadonlyMap<string, Member> | null;
}

/** The known members of an expression; null when none are known. */
function membersOf(node: ASTNode, vocabulary: Vocabulary, own: ReadonlySet<string>): Known | null {
  if (node.op === 'id') {
    const members = own.has(node.args) ? undefined : vocabulary[node.args as 'row' | 'principal' | 'request'];
    return members === undefined || node.args === 'data' ? null : { path: node.args, members };
  }
  const access = accessOf(node);
  const around = access === null ? null : membersOf(access.of, vocabulary, own);
  if (access === null || around?.members == null) return null;
  const path = `${around.path}.${access.name}`;
  if (path === 'request.data') return vocabulary.data === undefined ? null : { path, members: vocabulary.data };
  return around.members.get(access.name) === 'plain' ? { path, members: null } : null;
}

function faultIn({ path, members }: Known, name: string): string | null {
  if (members === null) return `${path} has no members, and so no "${name}"`;
  if (members.size === 0) return `${path} is always null here, and so has no "${name}"`;
  return members.has(name) ? null : `there is no "${name}" in ${path}; ${suggestion(name, [...members.keys()])}`;
}
