/** What an entity is to content: the documents of a type, the assets of stores, or nothing of content's. */
import type { EntityDefinition, ProductDefinition } from '../product.ts';
import { ASSET_ENTITY } from './shapes.ts';

/** The archive of an entity holds what the entity holds. */
export function contentKind(
  { content, contentStores = [] }: ProductDefinition,
  { name, archiveOf: of = name }: EntityDefinition,
): 'document' | 'asset' | 'row' {
  if (content?.types.some(({ entity }) => entity === of) === true) return 'document';
  return contentStores.some(({ assetentityname = ASSET_ENTITY }) => assetentityname === of) ? 'asset' : 'row';
}
