/** The content folder of a product. Source: docs/contract/content.md §2. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadProduct } from '#config/definitions/load-product.ts';
import type { ProductDefinition } from '#config/definitions/product.ts';
import { loadPlatformText } from '#config/load.ts';
import { placeText, renderProblems } from '#config/problem.ts';
import { contentSourceOf } from '#config/resolve-content.ts';
import { temporaryFolders } from '#test/kit/temporary-folders.ts';

const newFolder = temporaryFolders('content');

type Files = Readonly<Record<string, string>>;

const STORES = 'contentstores:\n  - { name: media, type: native }\n';
const POST = 'entities: { post: { fields: { title: { type: string, localized: true }, stars: { type: integer } } } }\n';

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

const app = (text: string): Files => ({
  'content/types/blog.post.yaml': POST,
  'content/stores/stores.yaml': STORES,
  'content/apps/blog/app.yaml': text,
});

describe('content that loads', () => {
  test('a type becomes an entity, with what a document is besides', () => {
    const { content, entities } = good(app('name: blog\ncontenttypes: [blog.post]\n'));
    const type = { name: 'blog.post', space: 'blog', entity: 'post', localized: ['title'] };
    expect(content!.types).toEqual([type]);
    expect(content!.apps[0]).toMatchObject({ name: 'blog', active: true, types: [type], locale: null, webhooks: [] });
    expect(Object.keys(entities.post!.fields)).toEqual(['id', 'title', 'stars', 'status', 'published_at']);
    expect(entities.post!.traits).toEqual(['timestamps']);
  });

  test('where an app speaks several languages, a row is one locale of a document; where it keeps versions, so does the entity', () => {
    const text =
      'name: blog\ncontenttypes: [post]\nlocale: { default: en, supported: [en, fr] }\nversion: { enabled: true }\n';
    const { content, entities } = good(app(text));
    expect(content!.apps[0]!.locale).toEqual({ default: 'en', supported: ['en', 'fr'] });
    expect(Object.keys(entities.post!.fields)).toContain('document_id');
    expect(entities.post!.unique).toEqual([['document_id', 'locale']]);
    expect(entities.post!.traits).toEqual(['timestamps', 'versioned']);
  });

  test('stores bring asset, folder and tag as entities of the tenant, which the product extends', () => {
    const extend =
      'entities: { asset: { fields: { credit: { type: string } }, index: [credit], access: { read: { language: cel, rule: "true" } } } }';
    const { entities, contentStores } = good({
      'content/stores/stores.yaml': STORES,
      'content/extend/asset.yaml': extend,
    });
    expect(contentStores!.map(({ name }) => name)).toEqual(['media']);
    expect(Object.keys(entities).sort()).toEqual(['asset', 'asset_version', 'folder', 'tag']);
    expect(Object.keys(entities.asset!.fields)).toEqual(
      'id store folder_id name content_type size sha256 width height title alt tags locale credit'.split(' '),
    );
    expect(entities.asset!.access.read!.rule).toBe('true');
  });

  test('a store declares sizes of images', () => {
    const files = (images: string): Files => ({
      'content/stores/stores.yaml': `contentstores:\n  - { name: m, type: native, images: ${images} }\n`,
    });
    const { contentStores } = good(files('{ thumb: { width: 320, height: 240 } }'));
    expect(contentStores![0]!.images).toEqual({ thumb: { width: 320, height: 240, fit: 'cover', format: 'webp' } });
    expect(good({ 'content/stores/stores.yaml': STORES }).contentStores![0]!.images).toEqual({});
    for (const images of [
      '{ thumb: { width: 2049, height: 1 } }',
      '{ thumb: { width: 0, height: 1 } }',
      '{ thumb: { width: 1 } }',
      '{ thumb: { width: 1, height: 1, format: svg } }',
      '{ thumb: { width: 1, height: 1, fit: fill } }',
      '{ Thumb: { width: 1, height: 1 } }',
    ])
      expect(bad(files(images))).toHaveLength(1);
    const many = Array.from({ length: 17 }, (_, i) => `s${i}: { width: 1, height: 1 }`).join(', ');
    expect(bad(files(`{ ${many} }`))[0]).toContain('a store has at most 16 sizes of images / remove sizes');
  });

  test('a store names its entities', () => {
    const stores = 'contentstores:\n  - { name: m, type: native, assetentityname: picture, folderentityname: album }\n';
    expect(Object.keys(good({ 'content/stores/stores.yaml': stores }).entities).sort()).toEqual([
      'album',
      'picture',
      'picture_version',
      'tag',
    ]);
  });

  test('secrets come from the environment, or are named: what a variable holds is no name', () => {
    const text =
      'name: blog\npreview: { secret: "vault:blog/preview", previous: "${A}" }\nwebhooks:\n  - { name: s, url: "https://x.example", secret: "vault:hook" }\n';
    const [blog] = good(app(text), { A: 'vault:x' }).content!.apps;
    expect(blog!.previewSecrets).toEqual([{ vault: 'blog/preview' }, 'vault:x']);
    expect(blog!.webhooks[0]!.secret).toEqual({ vault: 'hook' });
  });

  test('secrets come from the environment', () => {
    const text =
      'name: blog\npreview: { secret: "${A}", previous: "${B}" }\nwebhooks:\n  - { name: s, url: "https://x.example", secret: "${A}", timeout: 3s }\n';
    const [blog] = good(app(text), { A: 'one', B: 'two' }).content!.apps;
    expect(blog!.previewSecrets).toEqual(['one', 'two']);
    expect(blog!.webhooks).toEqual([
      { name: 's', url: 'https://x.example', events: [], secret: 'one', timeoutMs: 3000, active: true, headers: {} },
    ]);
  });

  test('an index of files', () => {
    const stores = 'contentstores:\n  - { name: m, type: native, index: fs }\n';
    const files = { 'content/stores/stores.yaml': stores };
    expect(good(files).contentStores).toMatchObject([{ name: 'm', index: 'fs' }]);
    const plain = 'entities: { asset: { fields: { credit: { type: string, max_length: 9 } }, index: [[credit]] } }';
    expect(good({ ...files, 'content/extend/a.yaml': plain }).contentStores).toHaveLength(1);
  });

  const bucket = { tenant: 'a:b:c:d', store: 'm' };
  test.each<[string, readonly { tenant: string; checkout: string | null; store: string }[] | 'here', unknown[]]>([
    ['in a bucket', 'here', [[2, 'the content store "m" of a:b:c:d lies in a bucket, which keeps no index of files']]],
    ['in another product’s bucket', [{ ...bucket, checkout: '/elsewhere' }], []],
  ])('an index of files %s', (_, buckets, expected) => {
    const dir = checkout({
      'content/stores/stores.yaml':
        'contentstores:\n  - { name: m, type: native, index: fs }\n  - { name: n, type: native }\n',
    });
    const known = buckets === 'here' ? [{ ...bucket, checkout: dir }] : buckets;
    const loaded = loadProduct(dir, { env: {}, content: { type: 'meta', buckets: known } });
    const problems = 'problems' in loaded ? loaded.problems : [];
    expect(problems.map(({ line, message }) => [line, message])).toEqual(expected);
    for (const { mend } of problems)
      expect(mend).toBe('write `index: database`, or give the store a contentroot of type os');
  });

  test('an index of files refuses fields that only a database keeps', () => {
    const files = {
      'content/stores/stores.yaml': 'contentstores:\n  - { name: m, type: native, index: fs }\n',
      'content/extend/a.yaml':
        'entities:\n  asset:\n    fields:\n      code: { type: string, unique: true }\n      twin: { type: ref, ref: { entity: asset } }\n      credit: { type: string }\n    unique: [[credit, twin]]\n',
    };
    const loaded = loadProduct(checkout(files), { env: {} });
    expect('problems' in loaded && loaded.problems.map(({ line, message, mend }) => [line, message, mend])).toEqual(
      ['the field code with unique: true', 'the field twin with the type ref', 'the unique key credit, twin'].map(
        (what) => [2, `asset has ${what}, which an index of files does not keep`, 'write `index: database`'],
      ),
    );
  });

  test('no content folder: no content', () => {
    expect(good({}).content).toEqual({ types: [], apps: [] });
  });
});

describe('content that does not', () => {
  test.each<[string, Files, string[]]>([
    [
      'an app that names an undeclared type',
      app('name: blog\ncontenttypes: [blog.pots]\n'),
      ['content/apps/blog/app.yaml:2:16 there is no content type "blog.pots" / did you mean "blog.post"?'],
    ],
    [
      'an app that names an undeclared store',
      app('name: blog\ncontentstore: medai\n'),
      ['content/apps/blog/app.yaml:2:15 there is no content store "medai" / did you mean "media"?'],
    ],
    [
      'a folder without app.yaml',
      { 'content/apps/blog/readme.txt': '' },
      ['content/apps/blog there is no app.yaml in it / write ./content/apps/blog/app.yaml'],
    ],
    [
      'a .yml file, wherever it lies',
      {
        'content/apps/blog/app.yml': '',
        'content/types/a.yml': '',
        'content/stores/stores.yml': '',
        'content/extend/x.yml': '',
      },
      [
        'content/apps/blog/app.yml only .yaml files are read / rename it to ./content/apps/blog/app.yaml',
        'content/extend/x.yml only .yaml files are read / rename it to ./content/extend/x.yaml',
        'content/stores/stores.yml only .yaml files are read / rename it to ./content/stores/stores.yaml',
        'content/types/a.yml only .yaml files are read / rename it to ./content/types/a.yaml',
      ],
    ],
    [
      'the earlier layout',
      { 'content/contentapps/a/contentapp.yaml': '', 'content/contentstores/contentstores.yaml': '' },
      [
        'content/contentapps this folder of the earlier layout is not read / move contentapps/<app>/contentapp.yaml to apps/<app>/app.yaml, and types to types/',
        'content/contentstores this folder of the earlier layout is not read / move contentstores/contentstores.yaml to stores/stores.yaml',
      ],
    ],
    [
      'an app of another name than its folder',
      app('name: news\n'),
      [
        'content/apps/blog/app.yaml:1:7 the app "news" lies in the folder blog / write `name: blog`, or rename the folder',
      ],
    ],
    [
      'a secret in the checkout',
      app('name: blog\npreview: { secret: abc }\n'),
      [
        'content/apps/blog/app.yaml:2:20 secret must come from the environment or the vault / write `secret: ${NAME}` and set NAME, or `vault:<name>` and put it into the tenant’s vault',
      ],
    ],
    [
      'a reference that is no name',
      app('name: blog\npreview: { secret: "vault:a b" }\n'),
      [
        'content/apps/blog/app.yaml:2:20 secret must come from the environment or the vault / write `secret: ${NAME}` and set NAME, or `vault:<name>` and put it into the tenant’s vault',
      ],
    ],
    [
      'a secret that is not set',
      app('name: blog\npreview: { secret: "${GONE}" }\n'),
      ['content/apps/blog/app.yaml:2:20 the environment has no GONE / set it (export GONE=…), or write the value here'],
    ],
    [
      'a variable of the node where no secret belongs',
      app(
        'name: blog\nwebhooks: [{ name: s, url: "https://x.example/${A}", secret: "${A}" }]\nlocale: { default: fr, supported: [en] }\n',
      ),
      ['content/apps/blog/app.yaml:3:20 the locale fr is not among the supported ones / list it in `supported`'],
    ],
    [
      'a file of two types',
      { 'content/types/a.yaml': 'entities: { a: { fields: {} }, b: { fields: {} } }' },
      [
        'content/types/a.yaml:1:32 the file a.yaml holds the content type a only / rename it to a, or move it to b.yaml',
      ],
    ],
    [
      'a type of the name of a route',
      { 'content/types/preview.yaml': 'entities: { preview: { fields: {} } }' },
      ['content/types/preview.yaml /content/<app>/preview is a route of its own / choose another name'],
    ],
    [
      'a type that has locales in one app and none in another',
      {
        ...app('name: blog\ncontenttypes: [post]\nlocale: { default: en }\n'),
        'content/apps/news/app.yaml': 'name: news\ncontenttypes: [blog.post]\n',
      },
      [
        'content/types/blog.post.yaml:1:13 blog.post has locales in blog, and none in news / give each of these apps a `locale`, or none',
      ],
    ],
    [
      'a field that every document has',
      { 'content/types/a.yaml': 'entities: { a: { fields: { status: { type: string } } } }' },
      ['content/types/a.yaml:1:28 every document has the field "status" / remove it'],
    ],
    [
      'an extension of nothing, and one of a field that is there',
      {
        'content/stores/stores.yaml': STORES,
        'content/extend/a.yaml': 'entities: { assets: { fields: {} }, asset: { fields: { name: { type: string } } } }',
      },
      [
        'content/extend/a.yaml:1:13 content has no entity "assets" to extend / did you mean "asset"?',
        'content/extend/a.yaml:1:56 asset has the field "name" already / choose another name',
      ],
    ],
    [
      'an operation that no store has',
      {
        'content/stores/stores.yaml':
          'contentstores:\n  - { name: m, type: n, access: { deleteall: { language: cel, rule: "true" } } }\n',
      },
      ['content/stores/stores.yaml:2:35 unknown key "deleteall" / did you mean "deletetag"?'],
    ],
    [
      'a localized field outside content',
      { 'entities/a.yaml': 'entities: { a: { fields: { t: { type: string, localized: true } } } }' },
      [
        'entities/a.yaml:1:47 only the fields of a content type are localized / remove it, or move the entity to content/types',
      ],
    ],
    [
      'a header that the delivery sets itself',
      app(
        'name: blog\nwebhooks: [{ name: s, url: "https://x.example", secret: "${A}", headers: { x-service-event: a } }]\n',
      ),
      [
        'content/apps/blog/app.yaml:2:76 "x-service-event" is not a valid name here / the delivery sets this header itself: choose another name',
      ],
    ],
  ])('%s', (_, files, expected) => expect(bad(files, { A: 'x' })).toEqual(expected));

  test('an entity that the product and its content both declare', () => {
    const files = { 'entities/tag.yaml': 'entities: { tag: { fields: {} } }', 'content/stores/stores.yaml': STORES };
    expect(bad(files)[0]).toContain('the entity "tag" is declared twice');
  });
});

describe('the source of content', () => {
  const platform = (text: string) => loadPlatformText(text, '/w/p.yaml', { env: {}, cwd: '/w', cores: 2 });
  const source = (text: string) => {
    const loaded = platform(text);
    if ('problems' in loaded) throw new Error(renderProblems(loaded.problems));
    return contentSourceOf(loaded.platform);
  };
  const faults = (text: string): string[] => {
    const loaded = platform(text);
    return 'problems' in loaded ? loaded.problems.map((p) => `${p.line}:${p.column} ${p.message} / ${p.mend}`) : [];
  };

  test('meta unless the file says otherwise', () => {
    expect(source('')).toEqual({ type: 'meta' });
    expect(source('content: { contentsource: { type: localdir, path: ./c } }')).toEqual({
      type: 'localdir',
      path: '/w/c',
    });
  });

  test('stores in buckets are reported to the reader of the products; an inline store in one keeps no index of files', () => {
    const root = '{ type: s3, url: "s3.example:443", accesskey: a, secretkey: b, path: media }';
    const hives = `hives: { tenant: [{ key: "a:b:c:d", meta: { localdir: ./p }, contentstores: [{ name: m, contentroot: ${root} }] }] }\n`;
    const buckets = [{ tenant: 'a:b:c:d', checkout: '/w/p', store: 'm' }];
    expect(source(hives)).toEqual({ type: 'meta', buckets });
    const inline = `${hives}content: { contentsource: { type: inline }, contentstores: [{ name: m, type: native, index: fs }] }\n`;
    expect(faults(inline)).toEqual([expect.stringContaining('the content store "m" of a:b:c:d lies in a bucket')]);
  });

  test('localdir stands in the place of the checkout’s own folder', () => {
    const dir = checkout({ 'stores/stores.yaml': STORES });
    const loaded = loadProduct(checkout(app('name: news\n')), { env: {}, content: { type: 'localdir', path: dir } });
    expect('product' in loaded && loaded.product.contentStores!.map(({ name }) => name)).toEqual(['media']);
    expect('product' in loaded && loaded.product.content!.apps).toEqual([]);
  });

  test('inline holds stores and apps, and serves no content types', () => {
    const text =
      'content:\n  contentsource: { type: inline }\n  contentstores: [{ name: m, type: n }]\n  contentapps: [{ name: a, contentstore: m }]\n';
    const inline = source(text);
    expect(inline).toMatchObject({ type: 'inline', stores: [{ name: 'm' }], apps: [{ name: 'a', types: [] }] });
    const loaded = loadProduct(checkout({}), { env: {}, content: inline });
    expect('product' in loaded && Object.keys(loaded.product.entities)).toContain('asset');
    expect(faults(text.replace('contentstore: m', 'contenttypes: [post]'))).toEqual([
      '4:43 there is no content type "post" / remove it: no key is known here',
    ]);
  });

  test.each([
    [
      'content: { contentsource: { type: localdir } }',
      ['1:27 a localdir source needs its path / add `path: ./content`'],
    ],
    [
      'content: { contentsource: { path: ./c } }',
      ['1:35 a meta source has no path / remove it, or write `type: localdir`'],
    ],
    [
      'content: { contentstores: [{ name: m, type: n }] }',
      ['1:27 contentstores are read from an inline source only / write `contentsource: { type: inline }`'],
    ],
    [
      'content: { loadtenants: ["a:b:c:d"] }',
      ['1:26 the file has no tenant a:b:c:d / remove it: no key is known here'],
    ],
  ])('%s', (text, expected) => expect(faults(text)).toEqual(expected));
});
