/** Resolves the content part of a file: its source, the paths of its stores, and rules that involve several keys. */
import { appOf } from './definitions/content/apps.ts';
import { fsProblems, type Bucket } from './definitions/content/fs-index.ts';
import type { ContentSource } from './definitions/content/load-content.ts';
import { storesOf } from './definitions/content/stores.ts';
import type { Platform, PlatformFile } from './platform.ts';
import { problemAt, type Path, type Problem } from './problem.ts';
import { suggestion } from './values/suggest.ts';
import { pathFrom, type Surroundings } from './surroundings.ts';

type ContentFile = PlatformFile['content'];
type Backends = PlatformFile['hives']['tenant'][number]['contentstores'];

const SOURCE: Path = ['content', 'contentsource'];

export function contentFrom(around: Surroundings, content: ContentFile): ContentFile {
  const { path } = content.contentsource;
  if (path === undefined) return content;
  const source = { ...content.contentsource, path: pathFrom(around, [...SOURCE, 'path'], path) };
  return { ...content, contentsource: source };
}

/** A tenant's storage backends with their paths. */
export function backendsFrom(around: Surroundings, backends: Backends, tenant: number): Backends {
  return backends.map((backend, at) => {
    const { contentroot: root } = backend;
    if (root.type !== 'os') return backend;
    const path = ['hives', 'tenant', tenant, 'contentstores', at, 'contentroot', 'path'];
    return { ...backend, contentroot: { ...root, path: pathFrom(around, path, root.path) } };
  });
}

/** The source of products' content. The platform was checked before: inline content has no problem. */
export function contentSourceOf(platform: Platform): ContentSource {
  const { content } = platform;
  const { type, path } = content.contentsource;
  const buckets = bucketsOf(platform);
  const inBuckets = buckets.length === 0 ? {} : { buckets };
  if (type === 'localdir') return { type, path: path!, ...inBuckets };
  if (type === 'meta') return { type, ...inBuckets };
  return { type, ...inlineOf(content, null) };
}

function bucketsOf({ hives }: Platform): Bucket[] {
  return hives.tenant.flatMap(({ key, meta, contentstores }) =>
    contentstores
      .filter(({ contentroot }) => contentroot.type === 's3')
      .map(({ name }) => ({ tenant: key, checkout: meta.localdir ?? null, store: name })),
  );
}

function inlineOf({ contentstores, contentapps }: ContentFile, around: Surroundings | null) {
  const tree = around?.tree ?? null;
  const { stores, problems } = storesOf(contentstores, tree, ['content', 'contentstores']);
  const declared = { types: [], stores: stores.map(({ name }) => name) };
  const read = contentapps.map((app, at) => appOf(app, tree, ['content', 'contentapps', at], declared));
  const apps = read.map(({ app }) => app);
  return { stores, apps, problems: [...problems, ...read.flatMap((one) => one.problems)] };
}

/** Rules that involve several keys. */
export function contentProblems(platform: Platform, around: Surroundings): Problem[] {
  const { stores, problems } = inlineOf(platform.content, around);
  const at: Path = ['content', 'contentstores'];
  problems.push(...fsProblems(stores, { buckets: bucketsOf(platform), entities: [], tree: around.tree, at }));
  const say = (path: Path, message: string, mend: string): void =>
    void problems.push(problemAt(around.tree.placeOf(path, 'value'), path, message, mend));
  const { type, path } = platform.content.contentsource;
  if (type === 'localdir' && path === undefined)
    say(SOURCE, 'a localdir source needs its path', 'add `path: ./content`');
  if (type !== 'localdir' && path !== undefined)
    say([...SOURCE, 'path'], `a ${type} source has no path`, 'remove it, or write `type: localdir`');
  for (const key of ['contentstores', 'contentapps'] as const)
    if (type !== 'inline' && platform.content[key].length > 0)
      say(['content', key], `${key} are read from an inline source only`, 'write `contentsource: { type: inline }`');
  const tenants = platform.hives.tenant.map(({ key }) => key);
  for (const [at, key] of platform.content.loadtenants.entries())
    if (!tenants.includes(key))
      say(['content', 'loadtenants', at], `the file has no tenant ${key}`, suggestion(key, tenants));
  return problems;
}
