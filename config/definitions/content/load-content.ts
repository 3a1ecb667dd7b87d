/** Reads the content folder of a product, or the source that replaces it (docs/contract/content.md §2). */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from '../../env.ts';
import { problemAt, type Problem } from '../../problem.ts';
import type { Tree } from '../../tree.ts';
import type { EntityDefinition } from '../product.ts';
import { fileProblem } from '../source.ts';
import { readContentApps } from './apps.ts';
import { documentEntity, takenFields } from './document-fields.ts';
import { fsProblems, type Bucket } from './fs-index.ts';
import { extendEntities, ownEntities } from './own-entities.ts';
import type { ContentAppDefinition, ContentDefinition, ContentStoreDefinition } from './shapes.ts';
import { readContentStores, STORES } from './stores.ts';
import { readContentTypes, type FoundType } from './types.ts';

/** Stores and apps of the platform file; they have no content types. */
export interface InlineContent {
  readonly stores: readonly ContentStoreDefinition[];
  readonly apps: readonly ContentAppDefinition[];
}

/** `meta`: the checkout's own folder. `localdir`: another folder. `inline`: the platform file itself. */
export type ContentSource = (
  | { readonly type: 'meta' }
  | { readonly type: 'localdir'; readonly path: string }
  | ({ readonly type: 'inline' } & InlineContent)
) & {
  /** Stores of tenants with their bytes in buckets. */
  readonly buckets?: readonly Bucket[];
};

export interface LoadedContent {
  readonly stores: readonly ContentStoreDefinition[];
  readonly content: ContentDefinition;
  /** Entities of the tenant: those of the content types, and content's own. */
  readonly entities: readonly EntityDefinition[];
  /** Where the entities of content types are declared. */
  readonly trees: ReadonlyMap<string, Tree>;
  readonly problems: readonly Problem[];
}

const NOTHING = new Map<string, Tree>();

/** The content of a checkout, or every problem in it. */
export function loadContent(checkout: string, source: ContentSource, env: Environment): LoadedContent {
  if (source.type === 'inline') {
    const { stores, apps } = source;
    return {
      stores,
      content: { types: [], apps },
      entities: ownEntities(stores),
      trees: NOTHING,
      problems: [],
    };
  }
  const buckets = (source.buckets ?? []).filter((one) => one.checkout === checkout);
  return readFolder(source.type === 'meta' ? join(checkout, 'content') : source.path, env, buckets);
}

function readFolder(dir: string, env: Environment, buckets: readonly Bucket[]): LoadedContent {
  const stored = readContentStores(join(dir, 'stores'));
  const typed = readContentTypes(join(dir, 'types'));
  const types = typed.found.map(({ type }) => type);
  const declared = { types, stores: stored.stores.map(({ name }) => name) };
  const made = readContentApps(join(dir, 'apps'), env, declared);
  const own = extendEntities(join(dir, 'extend'), ownEntities(stored.stores));
  const problems = [
    ...earlierLayout(dir),
    ...stored.problems,
    ...typed.problems,
    ...typed.found.flatMap(takenFields),
    ...made.problems,
    ...disagreeing(typed.found, made.apps),
    ...own.problems,
    ...fsProblems(stored.stores, { buckets, entities: own.entities, tree: stored.tree, at: STORES }),
  ];
  return {
    stores: stored.stores,
    content: { types, apps: made.apps },
    entities: [...typed.found.map((found) => documentEntity(found, made.apps)), ...own.entities],
    trees: new Map(typed.found.map(({ entity, tree }) => [entity.name, tree])),
    problems,
  };
}

/** Whether a row is one locale of a document or a whole document: it cannot be both. */
function disagreeing(found: readonly FoundType[], apps: readonly ContentAppDefinition[]): Problem[] {
  return found.flatMap(({ type, entity, tree }) => {
    const users = apps.filter(({ types }) => types.some(({ name }) => name === type.name));
    const speaking = users.filter(({ locale }) => locale !== null).map(({ name }) => name);
    if (speaking.length === 0 || speaking.length === users.length) return [];
    const silent = users.filter(({ locale }) => locale === null).map(({ name }) => name);
    const path = ['entities', entity.name];
    const message = `${type.name} has locales in ${speaking.join(', ')}, and none in ${silent.join(', ')}`;
    return [problemAt(tree.placeOf(path, 'key'), path, message, 'give each of these apps a `locale`, or none')];
  });
}

/** Folders of earlier versions, and their place now. */
function earlierLayout(dir: string): Problem[] {
  const moved = [
    ['contentapps', 'move contentapps/<app>/contentapp.yaml to apps/<app>/app.yaml, and types to types/'],
    ['contentstores', 'move contentstores/contentstores.yaml to stores/stores.yaml'],
  ] as const;
  return moved.flatMap(([name, mend]) => {
    const path = join(dir, name);
    return existsSync(path) ? [fileProblem(path, 'this folder of the earlier layout is not read', mend)] : [];
  });
}
