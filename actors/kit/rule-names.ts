/**
 * Names without a meaning in rules: `row.requestor` of an entity whose field is `requester` is not an error in CEL, it only denies. All
 * names that a rule can use are known beforehand, except those inside of json fields.
 */
import { limits } from '#config/limits.ts';
import { suggestion } from '#config/values/suggest.ts';
import type { ASTNode } from '@marcbachmann/cel-js';
import type { PartFault } from './part-fault.ts';
import { accessOf, ownNames } from './rule-access.ts';
import { environment, walk } from './rule-environment.ts';
import type { Member, Relations } from './rule-members.ts';
import { referencedRow, type RowAt } from './rule-paths.ts';

/** Members of the inputs of a rule; absent when they are not known. */
export interface Vocabulary {
  readonly row?: ReadonlyMap<string, Member>;
  /** Of conditions on a change alone. */
  readonly old?: ReadonlyMap<string, Member>;
  readonly principal: ReadonlyMap<string, Member>;
  readonly request: ReadonlyMap<string, Member>;
  /** Of `request.data`. */
  readonly data?: ReadonlyMap<string, Member>;
  /** Of `row`, where the rule may follow them. */
  readonly relations?: Relations;
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

/** A fault for each name without a meaning, with the nearest name that has one. A rule that does not parse has no such faults. */
export function nameFaults(source: string, part: string, where: string, vocabulary: Vocabulary): PartFault[] {
  const ast = parsed(source);
  if (ast === null) return [];
  const own = ownNames(ast);
  const rowOf = (node: ASTNode) =>
    vocabulary.relations === undefined ? null : referencedRow(node, vocabulary.relations, own);
  const followed = followedIn(ast, rowOf);
  const faults = new Set<string>();
  walk(ast, (node) => {
    const fault = followed.has(node) ? null : faultAt(node, vocabulary, own, rowOf);
    if (fault !== null) faults.add(fault);
  });
  return [...faults].map((reason) => ({ part, where, reason }));
}

type RowOf = (node: ASTNode) => RowAt | null;

/** Nodes that stand for a referenced row, since a member of them is read: they need be no field. */
function followedIn(ast: ASTNode, rowOf: RowOf): ReadonlySet<ASTNode> {
  const followed = new Set<ASTNode>();
  walk(ast, (node) => void (rowOf(node) !== null && followed.add(accessOf(node)!.of)));
  return followed;
}

function faultAt(node: ASTNode, vocabulary: Vocabulary, own: ReadonlySet<string>, rowOf: RowOf): string | null {
  const named = accessOf(node);
  if (named === null) return null;
  const row = rowOf(node);
  if (row !== null) return pathFault(row, named.name);
  const found = membersOf(named.of, vocabulary, own, rowOf);
  return found === null ? null : faultIn(found, named.name);
}

function pathFault({ of, path, fields }: RowAt, name: string): string | null {
  const most = limits.rules.hopsMax;
  if (fields.length > most)
    return `${path}.${name} follows ${fields.length} references, and a rule may follow ${most}: keep the value in a row that is nearer`;
  return faultIn({ path, members: of.members }, name);
}

function parsed(source: string): ASTNode | null {
  try {
    return environment.parse(source).ast;
  } catch {
    return null;
  }
}

interface Known {
  /** As the rule writes it. */
  readonly path: string;
  /** Null for a value without members. */
  readonly members: ReadonlyMap<string, Member> | null;
  /** How the rule would follow the reference that it reads a member of. */
  readonly relation?: string;
}

/** The known members of an expression; null when none are known. */
function membersOf(node: ASTNode, vocabulary: Vocabulary, own: ReadonlySet<string>, rowOf: RowOf): Known | null {
  if (node.op === 'id') {
    const members = own.has(node.args) ? undefined : vocabulary[node.args as 'row' | 'old' | 'principal' | 'request'];
    return members === undefined || node.args === 'data' ? null : { path: node.args, members };
  }
  const access = accessOf(node);
  if (access === null) return null;
  const row = rowOf(node);
  const around = row === null ? membersOf(access.of, vocabulary, own, rowOf) : { ...row, members: row.of.members };
  if (around?.members == null) return null;
  const path = `${around.path}.${access.name}`;
  if (path === 'request.data') return vocabulary.data === undefined ? null : { path, members: vocabulary.data };
  if (around.members.get(access.name) !== 'plain') return null;
  const relations = row === null && around.path === 'row' ? vocabulary.relations : row?.of;
  return { path, members: null, ...relationOf(relations, around.path, access.name) };
}

/** The name by which a reference field is followed, where it is another than the field's own. */
function relationOf(relations: Relations | undefined, path: string, field: string): Pick<Known, 'relation'> {
  const name = field.replace(/_id$/, '');
  return relations?.relation(name)?.field === field ? { relation: `${path}.${name}` } : {};
}

function faultIn({ path, members, relation }: Known, name: string): string | null {
  if (members === null) {
    const mend = relation === undefined ? '' : `; write ${relation}.${name} to follow the reference`;
    return `${path} has no members, and so no "${name}"${mend}`;
  }
  if (members.size === 0) return `${path} is always null here, and so has no "${name}"`;
  return members.has(name) ? null : `there is no "${name}" in ${path}; ${suggestion(name, [...members.keys()])}`;
}
