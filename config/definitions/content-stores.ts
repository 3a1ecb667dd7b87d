/** Content stores: the `contentstores:` list of `content/stores/stores.yaml`. Source: operations.md "Content: folder and declarations". */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { check } from '../check.ts';
import { problemAt } from '../problem.ts';
import type { Problem } from '../problem.ts';
import * as kit from '../schema-kit.ts';
import type { Tree } from '../tree.ts';
import { readYamlFile } from '../yaml-file.ts';
import type { ContentStoreDefinition } from './product.ts';
import { definitionFiles, name } from './source.ts';

const STORE_NAME = /^[a-z0-9][a-z0-9_-]{0,62}$/;

const rule = kit.entry({ language: kit.oneOf(['cel']), rule: kit.text('a CEL expression', "'true'") });

const store = kit.entry({
  name: kit.pattern(STORE_NAME, 'a name of lower-case letters, digits, _ and -', 'media'),
  type: kit.text('a kind of store', 'native'),
  active: kit.yesNo().default(true),
  folderentityname: name.optional(),
  assetentityname: name.optional(),
  cacheexpiry: kit.duration().optional(),
  version: kit.entry({ enabled: kit.yesNo() }).optional(),
  locale: kit.text('a locale', 'en').optional(),
  index: kit.oneOf(['database', 'fs']).default('database'),
  access: z.record(z.string(), rule).meta({ description: 'a map of operations', example: '{}' }).default({}),
});

const document = kit.entry({ contentstores: kit.list(store, 'content stores') });

export interface ContentStores {
  readonly stores: readonly ContentStoreDefinition[];
  readonly problems: readonly Problem[];
}

/** The content stores of a product in their order, or every problem in them. */
export function readContentStores(dir: string): ContentStores {
  const { problems: listed } = definitionFiles(dir);
  const file = join(dir, 'stores.yaml');
  if (!existsSync(file)) return { stores: [], problems: listed };
  const { tree, problems: broken } = readYamlFile(file);
  if (broken.length > 0) return { stores: [], problems: [...listed, ...broken] };
  const checked = check(document, tree);
  if ('problems' in checked) return { stores: [], problems: [...listed, ...checked.problems] };
  const stores = checked.value.contentstores;
  return { stores, problems: [...listed, ...twice(stores, tree)] };
}

function twice(stores: readonly ContentStoreDefinition[], tree: Tree): Problem[] {
  return stores.flatMap((one, at) => {
    if (stores.findIndex((other) => other.name === one.name) === at) return [];
    const path = ['contentstores', at, 'name'];
    const message = `the content store "${one.name}" is declared twice`;
    return [problemAt(tree.placeOf(path, 'value'), path, message, 'remove one, or choose another name')];
  });
}
