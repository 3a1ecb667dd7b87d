/** Names without a meaning in the rules of stores and apps: such a rule is served unchanged, and denies. */
import { ASSET_ENTITY, FOLDER_ENTITY, TAG_ENTITY } from '#config/definitions/content/shapes.ts';
import type { ContentStoreDefinition, OperationRule } from '#config/definitions/content/shapes.ts';
import type { ProductDefinition } from '#config/definitions/product.ts';
import type { PartFault } from '#actors/kit/part-fault.ts';
import { rowMembers } from '#actors/kit/rule-members.ts';
import { CONTENT_REQUEST, nameFaults, vocabularyOf, type Vocabulary } from '#actors/kit/rule-names.ts';

const REQUEST = Object.keys(CONTENT_REQUEST);

/** A rule of an app is evaluated before any row is read. */
const OF_APPS = vocabularyOf(REQUEST, new Map(), undefined);

export function ruleNameFaults(product: ProductDefinition): PartFault[] {
  const { contentStores = [], content } = product;
  return [
    ...contentStores.flatMap((store) => faultsIn(store.access, (operation) => seenBy(operation, store, product))),
    ...(content?.apps ?? []).flatMap(({ access }) => faultsIn(access, () => OF_APPS)),
  ];
}

type Access = Readonly<Record<string, OperationRule | undefined>>;

function faultsIn(access: Access, seen: (operation: string) => Vocabulary): PartFault[] {
  return Object.entries(access).flatMap(([name, rule]) =>
    rule === undefined ? [] : nameFaults(rule.rule, `rule of ${name}`, rule.where ?? name, seen(name)),
  );
}

/** The row is an asset, a folder or a tag, with the fields that the product adds. */
function seenBy(operation: string, store: ContentStoreDefinition, { entities }: ProductDefinition): Vocabulary {
  const entity = entities[entityOf(operation, store)];
  return vocabularyOf(REQUEST, entity === undefined ? undefined : rowMembers(entity), undefined);
}

function entityOf(operation: string, store: ContentStoreDefinition): string {
  if (operation.endsWith('tag')) return TAG_ENTITY;
  if (operation.endsWith('folder')) return store.folderentityname ?? FOLDER_ENTITY;
  return store.assetentityname ?? ASSET_ENTITY;
}
