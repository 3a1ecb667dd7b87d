/**
 * Reads a product checkout: `product.yaml`, `archives.yaml`, `entities/`, `stateflows/`, `actions/`, `endpoints/`, `seeds/`, `content/`,
 * `bff/`, `mails/`, `triggers/`, `views/`. Every problem names file, line and column.
 */
import { join } from 'node:path';
import { env as processEnv } from 'node:process';
import { check } from '../check.ts';
import type { Environment } from '../env.ts';
import { problemAt, sortProblems, type Problem } from '../problem.ts';
import { suggestion } from '#config/values/suggest.ts';
import { Tree, mapOf } from '../tree.ts';
import { readYamlFile } from '../yaml-file.ts';
import { readActions } from './action.ts';
import { readArchives, withCompanions } from './archives.ts';
import { loadBff } from './bff/load-bff.ts';
import { loadContent, type ContentSource, type LoadedContent } from './content/load-content.ts';
import { groupProblems } from './change-groups.ts';
import { channelProblems } from './channels-section.ts';
import { defaultFault } from './default-value.ts';
import { declaredNames, readEntities } from './entity.ts';
import { guestProblems } from './accounts-section.ts';
import { withPresets } from './oauth-presets.ts';
import { providerProblems, writtenSecrets } from './oauth-provider-rules.ts';
import { passkeyProblems } from './passkeys-section.ts';
import { readEndpoints } from './endpoint.ts';
import { unknownFieldRoles } from './field-roles.ts';
import { linkProblems, withPairs } from './link.ts';
import { grantProblems, placedGrants, withGrants, type PlacedGrants } from './grants.ts';
import { readMails } from './mails.ts';
import { materializeProblems } from './materialize.ts';
import { productFile } from './product-file.ts';
import type { ArchiveDefinition, EntityDefinition, ProductDefinition } from './product.ts';
import { personProblems } from './person.ts';
import { searchProblems } from './search.ts';
import { retentionProblems } from './retention.ts';
import type { RoleCatalogue } from './roles-section.ts';
import { definitionFiles, fileProblem, isDirectory } from './source.ts';
import { readSeeds } from './seed.ts';
import { readStateflows, withInitialStates } from './stateflow.ts';
import { readTriggers } from './trigger.ts';
import { readViews } from './view.ts';

export interface ProductOptions {
  /** The source of `${NAME}` in `product.yaml`; the process's environment by default. */
  readonly env?: Environment;
  /** Where content is declared; in the checkout itself by default. */
  readonly content?: ContentSource;
}

export type LoadedProduct =
  /** `notes` are parts of the checkout that this version does not serve. */
  | { readonly product: ProductDefinition; readonly notes: readonly Problem[] }
  /** `bare`: name and settings alone, for callers that must continue without the rest; null where `product.yaml` itself has problems. */
  | { readonly problems: readonly Problem[]; readonly bare: ProductDefinition | null };

/** The definitions of a product checkout, or every problem in it. Rules are not compiled here; each keeps its place. */
export function loadProduct(dir: string, options: ProductOptions = {}): LoadedProduct {
  if (!isDirectory(dir))
    return { problems: [fileProblem(dir, 'there is no such directory', 'check meta.localdir')], bare: null };
  const env = options.env ?? processEnv;
  const head = readHead(join(dir, 'product.yaml'), env);
  const kept = readArchives(join(dir, 'archives.yaml'));
  const content = loadContent(dir, options.content ?? { type: 'meta' }, env);
  const body = readAllEntities(join(dir, 'entities'), kept.archives, content, head);
  const machines = readStateflows(join(dir, 'stateflows'), body.entities, body.names, head.product?.roles);
  const named = readActions(join(dir, 'actions'), body.names);
  const scripted = readEndpoints(join(dir, 'endpoints'), head.product?.roles);
  const sown = readSeeds(join(dir, 'seeds'), body.entities, body.names);
  const bff = loadBff(join(dir, 'bff'), head.product === null ? null : (head.product.outbound?.hosts ?? []), env);
  const written = readMails(join(dir, 'mails'), head.product?.mails?.language);
  const roles = head.product === null ? null : head.product.roles;
  const actions = named.problems.length > 0 ? null : named.actions;
  const fired = readTriggers(join(dir, 'triggers'), {
    entities: body.entities,
    names: body.names,
    roles,
    actions,
    env,
  });
  const seen = readViews(join(dir, 'views'), [...body.names, ...body.entities.map(({ name }) => name)]);
  const grouped = { problems: problemsOfSubscribers(head, body) };
  const parts = [head, grouped, body, machines, named, scripted, content, sown, kept, bff, written, fired, seen];
  const problems = sortProblems(parts.flatMap((part) => part.problems));
  if (head.product === null) return { problems, bare: null };
  const { name, ...settings } = head.product;
  if (problems.length > 0) return { problems, bare: { name, entities: {}, settings } };
  const { stateflows } = machines;
  const entities = mapOf(withInitialStates(body.entities, stateflows).map((entity) => [entity.name, entity]));
  const declared = {
    stateflows,
    actions: named.actions,
    endpoints: scripted.endpoints,
    bff: bff.endpoints,
    contentStores: content.stores,
    content: content.content,
    seeds: sown.seeds,
    archives: kept.archives,
    mails: written.mails,
    triggers: fired.triggers,
    views: seen.views,
  };
  return { product: { name, entities, settings, ...declared }, notes: [] };
}

function readHead(file: string, env: Environment) {
  const { tree, problems, broken } = readYamlFile(file, { env });
  if (broken) return { product: null, grants: null, tree, problems };
  const checked = check(productFile, tree);
  if (!('problems' in checked)) {
    const further = [
      ...providerProblems(tree),
      ...writtenSecrets(tree),
      ...passkeyProblems(tree),
      ...guestProblems(tree),
      ...grantProblems(checked.value.grants, tree, ['grants'], checked.value.roles),
    ];
    const grants = placedGrants(checked.value.grants, tree, ['grants']);
    return { product: withPresets(checked.value), grants, tree, problems: [...problems, ...further] };
  }
  const refused = new Set(problems.map((problem) => problem.path));
  const told = [...checked.problems, ...providerProblems(tree)];
  return {
    product: null,
    grants: null,
    tree,
    problems: [...problems, ...told.filter((problem) => !refused.has(problem.path))],
  };
}

function problemsOfSubscribers({ product, tree }: ReturnType<typeof readHead>, body: AllEntities): Problem[] {
  if (product === null) return [];
  const { entities, names } = body;
  const known = { entities, names, catalogue: product.roles };
  return [...groupProblems(product.changes?.groups, tree, known), ...channelProblems(product.channels, tree, known)];
}

interface Found {
  entity: EntityDefinition;
  readonly tree: Tree;
}

interface AllEntities {
  readonly entities: readonly EntityDefinition[];
  /** Every declared name, also of entities with problems. */
  readonly names: readonly string[];
  readonly problems: readonly Problem[];
}

/** What `product.yaml` says of roles. */
interface Roles {
  readonly product: { readonly roles?: RoleCatalogue | undefined } | null;
  readonly grants: PlacedGrants | null;
}

function readAllEntities(
  dir: string,
  archives: readonly ArchiveDefinition[],
  content: LoadedContent,
  { product, grants }: Roles,
): AllEntities {
  const listed = definitionFiles(dir);
  const problems = [...listed.problems];
  const found: Found[] = [];
  const names = new Set<string>();
  for (const file of listed.files) {
    const yaml = readYamlFile(file);
    problems.push(...yaml.problems);
    if (yaml.broken) continue;
    for (const name of declaredNames(yaml.tree)) names.add(name);
    const read = readEntities(yaml.tree);
    problems.push(...read.problems);
    for (const entity of read.entities) found.push({ entity, tree: yaml.tree });
  }
  problems.push(...found.flatMap(localizedFields));
  for (const one of found) {
    problems.push(...rolesProblems(one, product?.roles));
    const own = placedGrants(one.entity.grants, one.tree, ['entities', one.entity.name, 'grants']);
    one.entity = withGrants(one.entity, own ?? grants);
  }
  for (const entity of content.entities) {
    names.add(entity.name);
    found.push({
      entity,
      tree: content.trees.get(entity.name) ?? new Tree({ file: entity.where, line: 0, column: 0 }),
    });
  }
  problems.push(...duplicates(found), ...unknownTargets(found, [...names]), ...unfitDefaults(found));
  for (const { entity, tree } of found) {
    problems.push(...retentionProblems(entity, tree, archives));
    problems.push(...personProblems(entity, tree), ...searchProblems(entity, tree));
  }
  const declared = found.map(({ entity }) => entity);
  for (const { entity, tree } of found) {
    problems.push(...materializeProblems(entity, tree, declared));
    problems.push(...linkProblems(entity, tree, declared, [...names], product?.roles));
  }
  const whole = withCompanions(declared, archives);
  return { entities: withPairs(whole.entities), names: [...names], problems: [...problems, ...whole.problems] };
}

/** Roles of fields and grants that no user can have. */
function rolesProblems({ entity, tree }: Found, catalogue: RoleCatalogue | undefined): Problem[] {
  const at = ['entities', entity.name, 'grants'];
  return [...unknownFieldRoles(entity, tree, catalogue), ...grantProblems(entity.grants, tree, at, catalogue)];
}

/** Problems of localized fields outside of content types: only documents have locales. */
function localizedFields({ entity, tree }: Found): Problem[] {
  return Object.entries(entity.fields).flatMap(([name, field]) => {
    const path = ['entities', entity.name, 'fields', name, 'localized'];
    if (field.localized === undefined) return [];
    const message = 'only the fields of a content type are localized';
    return [problemAt(tree.placeOf(path, 'key'), path, message, 'remove it, or move the entity to content/types')];
  });
}

function duplicates(found: readonly Found[]): Problem[] {
  const first = new Map<string, EntityDefinition>();
  const problems: Problem[] = [];
  for (const { entity, tree } of found) {
    const before = first.get(entity.name);
    if (before === undefined) first.set(entity.name, entity);
    else {
      const path = ['entities', entity.name];
      const message = `the entity "${entity.name}" is declared twice`;
      problems.push(
        problemAt(tree.placeOf(path, 'key'), path, message, `remove one (the other is at ${before.where})`),
      );
    }
  }
  return problems;
}

/** Problems of references whose default cannot be a key of the target; the field alone does not tell the type of those keys. */
function unfitDefaults(found: readonly Found[]): Problem[] {
  const keys = new Map(found.map(({ entity }) => [entity.name, entity.fields.id!.type]));
  return found.flatMap(({ entity, tree }) =>
    Object.entries(entity.fields).flatMap(([name, field]) => {
      const type = field.ref === undefined ? undefined : keys.get(field.ref.entity);
      if (field.type !== 'ref' || type === undefined || defaultFault(field) !== null) return [];
      const fault = defaultFault({ ...field, type });
      const path = ['entities', entity.name, 'fields', name, 'default'];
      const mend = 'change the default or the field';
      return fault === null ? [] : [problemAt(tree.placeOf(path, 'value'), path, `the default ${fault}`, mend)];
    }),
  );
}

function unknownTargets(found: readonly Found[], names: readonly string[]): Problem[] {
  const problems: Problem[] = [];
  for (const { entity, tree } of found) {
    for (const [name, field] of Object.entries(entity.fields)) {
      const target = field.ref?.entity;
      if (target === undefined || names.includes(target)) continue;
      const path = ['entities', entity.name, 'fields', name, 'ref', 'entity'];
      const message = `there is no entity "${target}"`;
      problems.push(problemAt(tree.placeOf(path, 'value'), path, message, suggestion(target, names)));
    }
  }
  return problems;
}
