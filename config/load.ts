/** Reads the platform file: flags over environment over file over defaults. Source: docs/contract/platform.md §1.1, §2.1, docs/contract/intake.md §2.1. */
import { availableParallelism } from 'node:os';
import { cwd } from 'node:process';
import { check } from './check.ts';
import { CONTENT_ROOT } from './content-section.ts';
import { ENV_KEYS, PORT_BASE, type Environment } from './env.ts';
import { platformFile, type Platform, type ServiceAlone } from './platform.ts';
import { problemAt, sortProblems, type Problem } from './problem.ts';
import { crossCheck, resolvePlatform } from './resolve.ts';
import { keepSources } from './sources.ts';
import { REFERENCE_NAME } from './reference-name.ts';
import { referenceOf } from './references.ts';
import { isMap, type Tree } from './tree.ts';
import { parseYaml, readYamlFile, type YamlFile, type YamlOptions } from './yaml-file.ts';

export type Flags = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

export interface LoadOptions {
  readonly env: Environment;
  /** Dotted keys of the platform file: `{'log.level': 'debug'}`. Undefined values count as absent. */
  readonly flags?: Flags;
  /** The file's root is this service's part (docs/contract/platform.md §1.1). */
  readonly service?: ServiceAlone;
  /** Content's keys may stand at the root, beside the node's (docs/contract/platform.md §2.1): the file was given to `skep content`. */
  readonly contentRoot?: boolean;
  /** The base of relative paths outside the file; the process's directory unless given. */
  readonly cwd?: string;
  readonly cores?: number;
}

export type Loaded = { readonly platform: Platform } | { readonly problems: readonly Problem[] };

/**
 * The platform of a file, or of the defaults alone when `file` is null; or all problems, in the order of the lines. Never throws for the content of
 * a file.
 */
export function loadPlatform(file: string | null, options: LoadOptions): Loaded {
  if (file === null) return fromYaml(parseYaml('', 'defaults'), null, options);
  return fromYaml(readYamlFile(file, yamlOptions(options)), file, options);
}

/** As `loadPlatform`, for the text of a file. */
export function loadPlatformText(text: string, file: string, options: LoadOptions): Loaded {
  return fromYaml(parseYaml(text, file, yamlOptions(options)), file, options);
}

function yamlOptions({ env, service, contentRoot }: LoadOptions): YamlOptions {
  return { env, prefix: service === undefined ? [] : [service], ...(contentRoot === true && { rooted: CONTENT_ROOT }) };
}

function fromYaml(yaml: YamlFile, file: string | null, options: LoadOptions): Loaded {
  const { tree } = yaml;
  if (yaml.broken) return { problems: yaml.problems };
  overlay(tree, options);
  const found = [...yaml.problems, ...vaultProblems(tree)];
  const portBase = portBaseOf(options.env, found);
  const checked = check(platformFile, tree);
  if ('problems' in checked) return { problems: merged(found, checked.problems) };
  const cores = options.cores ?? availableParallelism();
  const around = { file, cwd: options.cwd ?? cwd(), cores, portBase, service: options.service ?? null, tree };
  const platform = resolvePlatform(checked.value, around);
  const problems = merged(found, crossCheck(platform, around));
  if (problems.length > 0) return { problems };
  keepSources(platform, around);
  return { platform: freeze(platform) };
}

/** Variables first, then flags, which outrank them. An empty variable counts as absent. */
function overlay(tree: Tree, options: LoadOptions): void {
  for (const [name, key] of Object.entries(ENV_KEYS)) {
    const value = options.env[name];
    if (value !== undefined && value !== '') tree.set(key.split('.'), value, { file: `$${name}`, line: 0, column: 0 });
  }
  for (const [key, value] of Object.entries(options.flags ?? {})) {
    if (value !== undefined) tree.set(key.split('.'), value, { file: `--${key}`, line: 0, column: 0 });
  }
}

function portBaseOf(env: Environment, problems: Problem[]): number | null {
  const text = env[PORT_BASE];
  if (text === undefined || text === '') return null;
  if (/^\d{1,5}$/.test(text) && Number(text) > 0 && Number(text) < 65_536) return Number(text);
  const place = { file: `$${PORT_BASE}`, line: 0, column: 0 };
  problems.push(
    problemAt(place, [], `${PORT_BASE} must be a port, not ${JSON.stringify(text)}`, 'set for example 20000'),
  );
  return null;
}

/** `vault:<name>` needs a vault in the same file that opens without an operator, and a valid name of a secret. */
function vaultProblems(tree: Tree): Problem[] {
  const problems: Problem[] = [];
  const visit = (value: unknown, path: (string | number)[]): void => {
    const name = referenceOf(value, path);
    const fault = name === null ? null : referenceFault(tree, name);
    if (fault !== null) {
      const place = tree.placeOf(path, 'value');
      problems.push(problemAt(place, path, ...fault));
    }
    if (Array.isArray(value)) value.forEach((item, at) => visit(item, [...path, at]));
    else if (isMap(value)) for (const [key, item] of Object.entries(value)) visit(item, [...path, key]);
  };
  visit(tree.value, []);
  const keyring = tree.get(['identity', 'keyring']);
  const fault = typeof keyring === 'string' ? referenceFault(tree, keyring.replace(/^vault:/, '')) : null;
  if (fault !== null) {
    const path = ['identity', 'keyring'];
    problems.push(problemAt(tree.placeOf(path, 'value'), path, ...fault));
  }
  return problems;
}

function referenceFault(tree: Tree, name: string): readonly [message: string, mend: string] | null {
  if (!REFERENCE_NAME.test(name))
    return ['this is not a valid name of a secret', 'write vault:<name>, for example vault:intake/smtp'];
  if (tree.get(['vault', 'enabled']) !== true)
    return ['there is no vault in this file', 'enable it (vault.enabled: true), or use ${NAME} and set the variable'];
  if (tree.get(['vault', 'seal', 'kind']) !== 'shamir') return null;
  return [
    'a vault sealed with shares is not open when the node starts',
    'use ${NAME}, or seal the vault with kind: key',
  ];
}

/** One problem per place: an unreadable value is not also reported for its type. */
function merged(first: readonly Problem[], second: readonly Problem[]): Problem[] {
  const taken = new Set(first.map((problem) => problem.path));
  return sortProblems([...first, ...second.filter((problem) => problem.path === '' || !taken.has(problem.path))]);
}

function freeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const item of Object.values(value)) freeze(item);
  }
  return value;
}
