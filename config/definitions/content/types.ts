/** Content types: `content/types/<type>.yaml`, an entity document each. Source: docs/contract/content.md §2.1. */
import { basename } from 'node:path';
import { problemAt, type Problem } from '../../problem.ts';
import type { Tree } from '../../tree.ts';
import { readYamlFile } from '../../yaml-file.ts';
import { readEntities } from '../entity.ts';
import type { EntityDefinition } from '../product.ts';
import { definitionFiles, fileProblem } from '../source.ts';
import { strayRoles } from '../stray-roles.ts';
import type { ContentTypeDefinition } from './shapes.ts';

const FULL_NAME = /^[a-z][a-z0-9_]{0,62}(?:\.[a-z][a-z0-9_]{0,62}){0,3}$/;

/** `POST /content/<app>/preview` mints tokens. */
const TAKEN = 'preview';

export interface FoundType {
  readonly type: ContentTypeDefinition;
  readonly entity: EntityDefinition;
  readonly tree: Tree;
}

export interface ContentTypes {
  readonly found: readonly FoundType[];
  readonly problems: readonly Problem[];
}

/** The content types of a folder by name, or every problem in them. */
export function readContentTypes(dir: string): ContentTypes {
  const listed = definitionFiles(dir);
  const problems = [...listed.problems];
  const found: FoundType[] = [];
  for (const file of listed.files) {
    const { tree, problems: broken, broken: unread } = readYamlFile(file);
    problems.push(...broken);
    if (unread) continue;
    const read = readEntities(tree);
    problems.push(...read.problems);
    if (read.problems.length > 0) continue;
    problems.push(...read.entities.flatMap((entity) => strayRoles(entity, tree)));
    const one = typeOf(file, tree, read.entities);
    if ('entity' in one) found.push(one);
    else problems.push(one);
  }
  return { found, problems };
}

function typeOf(file: string, tree: Tree, entities: readonly EntityDefinition[]): FoundType | Problem {
  const name = basename(file, '.yaml');
  if (!FULL_NAME.test(name))
    return fileProblem(file, 'its name is no name of a content type', 'name it like post.yaml or blog.post.yaml');
  const last = name.slice(name.lastIndexOf('.') + 1);
  if (last === TAKEN) return fileProblem(file, `/content/<app>/${TAKEN} is a route of its own`, 'choose another name');
  const entity = entities.find((one) => one.name === last);
  const other = entities.find((one) => one.name !== last);
  if (other !== undefined) {
    const path = ['entities', other.name];
    const mend = `rename it to ${last}, or move it to ${other.name}.yaml`;
    return problemAt(
      tree.placeOf(path, 'key'),
      path,
      `the file ${name}.yaml holds the content type ${last} only`,
      mend,
    );
  }
  if (entity === undefined)
    return fileProblem(file, `it declares no entity ${last}`, `add \`${last}:\` under entities`);
  const localized = Object.entries(entity.fields).flatMap(([field, { localized: own }]) =>
    own === true ? [field] : [],
  );
  const space = name.slice(0, Math.max(0, name.length - last.length - 1));
  return { type: { name, space, entity: last, localized }, entity, tree };
}
