/** Whose documents, assets and archived rows are. Source: docs/contract/privacy.md §1. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadProduct } from '#config/definitions/load-product.ts';
import type { ProductDefinition } from '#config/definitions/product.ts';
import { placeText, renderProblems } from '#config/problem.ts';
import { temporaryFolders } from '#test/kit/temporary-folders.ts';

const newFolder = temporaryFolders('content');

type Files = Readonly<Record<string, string>>;

const STORES = 'contentstores:\n  - { name: media, type: native }\n';

function checkout(files: Files): string {
  const dir = newFolder();
  for (const [name, text] of Object.entries({ 'product.yaml': 'name: atlas\n', ...files })) {
    mkdirSync(dirname(join(dir, name)), { recursive: true });
    writeFileSync(join(dir, name), text);
  }
  return dir;
}

function good(files: Files, env = {}): ProductDefinition {
  const loaded = loadProduct(checkout(files), { env });
  if ('problems' in loaded) throw new Error(renderProblems(loaded.problems));
  expect(loaded.notes).toEqual([]);
  return loaded.product;
}

function bad(files: Files, env = {}): string[] {
  const dir = checkout(files);
  const loaded = loadProduct(dir, { env });
  if (!('problems' in loaded)) throw new Error('loaded without problems');
  return loaded.problems.map((p) =>
    `${placeText(p).replace(`${dir}/`, '')} ${p.message} / ${p.mend}`.replaceAll(dir, '.'),
  );
}

const FULL = (person: string): string =>
  `contentstores:\n  - { name: media, type: native, person: { on_erasure: delete } }\n  - { name: other, type: native${person} }\n`;

describe('persons', () => {
  test('a store with person records uploaders in its asset entity, others do not', () => {
    const stores =
      'contentstores:\n  - { name: a, type: native, assetentityname: scan, person: { on_erasure: anonymize } }\n  - { name: b, type: native }\n';
    const { entities } = good({ 'content/stores/stores.yaml': stores });
    expect(entities['scan']!.person).toEqual({ field: 'created_by', holds: 'id', onErasure: 'anonymize' });
    expect(entities['scan']!.fields['created_by']).toMatchObject({ nullable: true, index: true });
    expect([entities['asset']!.person, entities['asset']!.fields['created_by']]).toEqual([undefined, undefined]);
  });

  test('a type says it as an entity does', () => {
    const type = (index: string): Files => ({
      'content/types/story.yaml': `entities: { story: { fields: { author: { type: string${index} } }, person: { field: author, on_erasure: delete } } }\n`,
    });
    expect(good(type(', index: true')).entities['story']!.person).toEqual({
      field: 'author',
      holds: 'id',
      onErasure: 'delete',
    });
    expect(bad(type('')).join('\n')).toContain('rows are not found by "author": it has no index');
  });

  test('stores of one entity agree, and an addition declares no person', () => {
    expect(good({ 'content/stores/stores.yaml': FULL(', person: { on_erasure: delete }') }).contentStores).toHaveLength(
      2,
    );
    for (const other of ['', ', person: { on_erasure: keep }'])
      expect(bad({ 'content/stores/stores.yaml': FULL(other) }).join('\n')).toContain(
        'the content stores "media" and "other" share the entity asset, and differ in `person`',
      );
    const extend =
      'entities: { asset: { fields: { owner: { type: string, index: true } }, person: { field: owner, on_erasure: delete } } }\n';
    expect(bad({ 'content/stores/stores.yaml': STORES, 'content/extend/asset.yaml': extend }).join('\n')).toContain(
      'an addition cannot say whose the rows are',
    );
  });

  test('an archive beside the entity is of the same person, and found by an index', () => {
    const entity =
      'entities: { visit: { fields: { seen: { type: date }, who: { type: string, index: true } }, person: { field: who, on_erasure: delete }, retention: { active: 24h, archive_to: near, age_field: seen } } }\n';
    const { entities } = good({
      'archives.yaml': 'archives: [{ name: near, type: native }]\n',
      'entities/visit.yaml': entity,
    });
    expect(entities['visit_archive']).toMatchObject({ person: entities['visit']!.person, index: [['who']] });
  });
});
