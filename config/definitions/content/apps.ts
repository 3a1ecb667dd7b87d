/** Content apps: `content/apps/<app>/app.yaml`. Source: docs/contract/content.md §3.3. */
import { existsSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { check } from '../../check.ts';
import { durationMs } from '#config/values/duration.ts';
import type { Environment } from '../../env.ts';
import { limits } from '../../limits.ts';
import { problemAt, type Path, type Problem } from '../../problem.ts';
import { suggestion } from '#config/values/suggest.ts';
import { referenceAt } from '../../reference-at.ts';
import type { Secret } from '../../reference-name.ts';
import type { Tree } from '../../tree.ts';
import { readYamlFile } from '../../yaml-file.ts';
import { definitionFiles, fileProblem, isDirectory } from '../source.ts';
import { appFile, type AppFile } from './app-file.ts';
import { placeIn, rulesOf } from './rule-map.ts';
import type { ContentAppDefinition, ContentTypeDefinition, WebhookDefinition } from './shapes.ts';

export interface ContentApps {
  readonly apps: readonly ContentAppDefinition[];
  readonly problems: readonly Problem[];
}

/** The names that an app may refer to. */
export interface Declared {
  readonly types: readonly ContentTypeDefinition[];
  readonly stores: readonly string[];
}

type Say = (path: Path, message: string, mend: string) => void;

/** The apps of a folder, or every problem in them. */
export function readContentApps(dir: string, env: Environment, declared: Declared): ContentApps {
  if (!isDirectory(dir)) return { apps: [], problems: [] };
  const apps: ContentAppDefinition[] = [];
  const problems: Problem[] = [];
  for (const entry of readdirSync(dir, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (!entry.isDirectory()) continue;
    const read = readApp(join(dir, entry.name), env, declared);
    problems.push(...read.problems);
    apps.push(...read.apps);
  }
  problems.push(...definitionFiles(dir).problems, ...definitionFiles(dir).files.map(strayApp));
  return { apps, problems };
}

function strayApp(file: string): Problem {
  return fileProblem(file, 'an app has a folder of its own', `move it to ${file.replace(/\.yaml$/, '/app.yaml')}`);
}

function readApp(folder: string, env: Environment, declared: Declared): ContentApps {
  const { problems: listed } = definitionFiles(folder);
  const file = join(folder, 'app.yaml');
  if (!existsSync(file)) {
    const missing = listed.length > 0 ? [] : [fileProblem(folder, 'there is no app.yaml in it', `write ${file}`)];
    return { apps: [], problems: [...listed, ...missing] };
  }
  const { tree, problems: broken, broken: unread } = readYamlFile(file, { env, interpolated: mayHoldSecret });
  if (unread) return { apps: [], problems: [...listed, ...broken] };
  const checked = check(appFile, tree);
  const found = [...listed, ...broken];
  if ('problems' in checked) {
    const refused = new Set(broken.map(({ path }) => path));
    return { apps: [], problems: [...found, ...checked.problems.filter(({ path }) => !refused.has(path))] };
  }
  const { app, problems } = appOf(checked.value, tree, [], declared);
  const secrets = writtenSecrets(checked.value, tree);
  const named = app.name === basename(folder) ? [] : [misnamed(app.name, basename(folder), tree)];
  return { apps: [withReferences(app, tree)], problems: [...found, ...problems, ...secrets, ...named] };
}

/** Places where `${NAME}` is resolved: secrets only. Elsewhere a checkout could read other variables of the node. */
export const mayHoldSecret = (path: Path): boolean =>
  path[0] === 'preview' || (path[0] === 'webhooks' && (path[2] === 'secret' || path[2] === 'headers'));

function misnamed(name: string, folder: string, tree: Tree): Problem {
  const message = `the app "${name}" lies in the folder ${folder}`;
  return problemAt(
    tree.placeOf(['name'], 'value'),
    ['name'],
    message,
    `write \`name: ${folder}\`, or rename the folder`,
  );
}

/** A checked app, with the rules that involve several keys. */
export function appOf(raw: AppFile, tree: Tree | null, at: Path, declared: Declared) {
  const problems: Problem[] = [];
  const say: Say = (path, message, mend) => {
    const full = [...at, ...path];
    problems.push(problemAt(placeIn(tree, full), full, message, mend));
  };
  const app: ContentAppDefinition = {
    name: raw.name,
    active: raw.active,
    contentstore: storeOf(raw, declared, say),
    types: typesOf(raw, declared, say),
    locale: localesOf(raw, say),
    versioned: raw.version?.enabled ?? false,
    previewSecrets: [raw.preview?.secret, raw.preview?.previous].filter((secret) => secret !== undefined),
    webhooks: webhooksOf(raw, say),
    access: rulesOf(raw.access, tree, [...at, 'access']),
  };
  return { app, problems };
}

function storeOf({ contentstore }: AppFile, { stores }: Declared, say: Say): string | null {
  if (contentstore === undefined) return null;
  if (!stores.includes(contentstore))
    say(['contentstore'], `there is no content store "${contentstore}"`, suggestion(contentstore, stores));
  return contentstore;
}

/** A content type by its full name, or by its last segment. */
function typesOf({ contenttypes }: AppFile, { types }: Declared, say: Say): ContentTypeDefinition[] {
  const known = types.map(({ name }) => name);
  return contenttypes.flatMap((wanted, at) => {
    const found = types.find(({ name }) => name === wanted) ?? types.find(({ entity }) => entity === wanted);
    if (found === undefined)
      say(['contenttypes', at], `there is no content type "${wanted}"`, suggestion(wanted, known));
    const first = contenttypes.findIndex((other) => other === found?.name || other === found?.entity);
    if (found !== undefined && first < at)
      say(['contenttypes', at], `the content type "${found.name}" is listed twice`, 'remove one');
    return found === undefined ? [] : [found];
  });
}

function localesOf({ locale }: AppFile, say: Say): ContentAppDefinition['locale'] {
  if (locale === undefined) return null;
  const supported = locale.supported.length === 0 ? [locale.default] : locale.supported;
  if (!supported.includes(locale.default))
    say(
      ['locale', 'default'],
      `the locale ${locale.default} is not among the supported ones`,
      'list it in `supported`',
    );
  for (const [at, one] of supported.entries())
    if (supported.indexOf(one) < at)
      say(['locale', 'supported', at], `the locale ${one} is listed twice`, 'remove one');
  return { default: locale.default, supported };
}

function webhooksOf({ webhooks }: AppFile, say: Say): WebhookDefinition[] {
  return webhooks.map(({ timeout, ...hook }, at) => {
    if (webhooks.findIndex(({ name }) => name === hook.name) < at)
      say(['webhooks', at, 'name'], `the webhook "${hook.name}" is declared twice`, 'choose another name');
    return { ...hook, timeoutMs: timeout === undefined ? limits.content.webhookTimeoutMs : durationMs(timeout) };
  });
}

function withReferences(app: ContentAppDefinition, tree: Tree): ContentAppDefinition {
  const at = (secret: Secret, path: Path): Secret => {
    const vault = referenceAt(tree, path);
    return vault === null ? secret : { vault };
  };
  const previewPaths = [['preview', 'secret'] as Path, ['preview', 'previous'] as Path].filter((path) =>
    tree.has(path),
  );
  return {
    ...app,
    previewSecrets: app.previewSecrets.map((secret, no) => at(secret, previewPaths[no]!)),
    webhooks: app.webhooks.map((hook, no) => ({ ...hook, secret: at(hook.secret, ['webhooks', no, 'secret']) })),
  };
}

/** A checkout is shared: its secrets come from the environment, or from the vault of the tenant that needs them. */
function writtenSecrets(raw: AppFile, tree: Tree): Problem[] {
  const paths: Path[] = [
    ['preview', 'secret'],
    ['preview', 'previous'],
    ...raw.webhooks.map((_, at) => ['webhooks', at, 'secret']),
  ];
  const written = paths.filter(
    (path) => tree.has(path) && tree.looseSource(path) === null && referenceAt(tree, path) === null,
  );
  return written.map((path) => {
    const key = String(path.at(-1));
    const mend = `write \`${key}: \${NAME}\` and set NAME, or \`vault:<name>\` and put it into the tenant’s vault`;
    return problemAt(tree.placeOf(path, 'value'), path, `${key} must come from the environment or the vault`, mend);
  });
}
