/** Content stores: the `contentstores:` list of `content/stores/stores.yaml`. Source: docs/contract/content.md §3.1. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { limits } from '../../limits.ts';
import { check } from '../../check.ts';
import { problemAt, type Path, type Problem } from '../../problem.ts';
import * as kit from '../../schema-kit.ts';
import type { Tree } from '../../tree.ts';
import { readYamlFile } from '../../yaml-file.ts';
import { definitionFiles, name } from '../source.ts';
import { uploader } from '../person.ts';
import { placeIn, ruleMap, rulesOf } from './rule-map.ts';
import { ASSET_ENTITY, IMAGE_FITS, IMAGE_FORMATS, STORE_OPERATIONS, type ContentStoreDefinition } from './shapes.ts';

export const SLUG = /^[a-z0-9][a-z0-9_-]{0,62}$/;

/** The form of one size of images. A caller names a size and can ask for no other, so that what is made and kept is bounded. */
const storeImage = kit.entry({
  width: kit.whole(1, limits.content.imageSideMax, 320).meta({ about: 'the width in pixels' }),
  height: kit.whole(1, limits.content.imageSideMax, 240).meta({ about: 'the height in pixels' }),
  fit: kit.oneOf(IMAGE_FITS).default('cover').meta({
    about:
      'cover: filled, the rest is cut off; contain: whole, the rest is left empty; inside: whole, no larger than it is, in its own proportions',
  }),
  format: kit.oneOf(IMAGE_FORMATS).default('webp').meta({ about: 'the format of the file' }),
});

const storeImages = z
  .record(z.string().regex(SLUG), storeImage)
  .refine((images) => Object.keys(images).length <= limits.content.imagesPerStoreMax, {
    message: `a store has at most ${limits.content.imagesPerStoreMax} sizes of images`,
    params: { mend: 'remove sizes that no page shows' },
  })
  .meta({
    description: 'a map of names',
    example: '{ thumb: { width: 320, height: 240 } }',
    about: 'sizes in which the images among its assets are shown, by name; needs the package sharp beside skep',
  });

/** The form of one store. */
export const storeFile = kit.entry({
  name: kit.pattern(SLUG, 'a name of lower-case letters, digits, _ and -', 'media').meta({
    about: 'the name in its paths',
  }),
  type: kit.text('a kind of store', 'native').meta({ about: 'its kind, for those who list stores' }),
  active: kit.yesNo().default(true).meta({ about: 'whether it is served' }),
  folderentityname: name.optional().meta({ about: 'the entity of its folders; folder unless set' }),
  assetentityname: name.optional().meta({ about: 'the entity of its assets; asset unless set' }),
  cacheexpiry: kit.duration().optional().meta({ about: 'how long browsers may keep a file' }),
  version: kit
    .entry({ enabled: kit.yesNo().meta({ about: 'whether earlier files of an asset are kept' }) })
    .optional()
    .meta({ about: 'versions of assets' }),
  locale: kit.text('a locale', 'en').optional().meta({ about: 'the locale of its files, for those who list stores' }),
  index: kit
    .oneOf(['database', 'fs'])
    .default('database')
    .meta({ about: 'where it is written down which assets there are: as rows, or in files beside the bytes' }),
  person: uploader.optional().meta({ about: 'assets are of the person who uploads them' }),
  images: storeImages.default({}),
  access: ruleMap(STORE_OPERATIONS).meta({ about: 'who may do what: one rule for each operation' }),
});

/** The places of the stores, where a file has them. */
export const STORES: Path = ['contentstores'];

/** The form of the file. */
export const storesFile = kit.entry({
  contentstores: kit.list(storeFile, 'content stores').meta({ about: 'the places for files' }),
});

export interface ContentStores {
  readonly stores: readonly ContentStoreDefinition[];
  readonly problems: readonly Problem[];
  /** The file of their declarations; null where nothing could be read. */
  readonly tree: Tree | null;
}

/** The content stores of a folder in their order, or every problem in them. */
export function readContentStores(dir: string): ContentStores {
  const { problems: listed } = definitionFiles(dir);
  const file = join(dir, 'stores.yaml');
  if (!existsSync(file)) return { stores: [], problems: listed, tree: null };
  const { tree, problems: broken } = readYamlFile(file);
  if (broken.length > 0) return { stores: [], problems: [...listed, ...broken], tree: null };
  const checked = check(storesFile, tree);
  if ('problems' in checked) return { stores: [], problems: [...listed, ...checked.problems], tree };
  const { stores, problems } = storesOf(checked.value.contentstores, tree, STORES);
  return { stores, problems: [...listed, ...problems], tree };
}

/** Checked stores with the places of their rules. */
export function storesOf(written: readonly z.output<typeof storeFile>[], tree: Tree | null, at: Path) {
  const stores = written.map((one, no): ContentStoreDefinition => ({
    ...one,
    access: rulesOf(one.access, tree, [...at, no, 'access']),
  }));
  return {
    stores,
    problems: [...twice(stores, tree, at), ...disagreeing(stores, tree, at)],
  };
}

function twice(stores: readonly ContentStoreDefinition[], tree: Tree | null, at: Path): Problem[] {
  return stores.flatMap((one, no) => {
    if (stores.findIndex((other) => other.name === one.name) === no) return [];
    const path = [...at, no, 'name'];
    const message = `the content store "${one.name}" is declared twice`;
    return [problemAt(placeIn(tree, path), path, message, 'remove one, or choose another name')];
  });
}

/** An entity has one answer to whose rows it holds: stores that share one agree. */
function disagreeing(stores: readonly ContentStoreDefinition[], tree: Tree | null, at: Path): Problem[] {
  return stores.flatMap(({ name: own, assetentityname: entity = ASSET_ENTITY, person }, no) => {
    const first = stores.find(({ assetentityname = ASSET_ENTITY }) => assetentityname === entity)!;
    if (first.person?.on_erasure === person?.on_erasure) return [];
    const path = person === undefined ? [...at, no] : [...at, no, 'person'];
    const message = `the content stores "${first.name}" and "${own}" share the entity ${entity}, and differ in \`person\``;
    return [
      problemAt(placeIn(tree, path), path, message, 'write the same in both, or give one another assetentityname'),
    ];
  });
}
