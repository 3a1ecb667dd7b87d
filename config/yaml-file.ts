/** Reads one YAML file into a tree of plain values with places. Refuses syntax errors, repeated keys, and alias or depth bombs. */
import { readFileSync } from 'node:fs';
import { LineCounter, isAlias, isMap as isYamlMap, isScalar, isSeq, parseDocument } from 'yaml';
import type { Document, Node, Pair, YAMLMap, YAMLSeq } from 'yaml';
import { interpolate, type Environment } from './env.ts';
import { problemAt, type Path, type Place, type Problem } from './problem.ts';
import { Tree, emptyMap } from './tree.ts';

const BYTES_MAX = 1024 * 1024;
const DEPTH_MAX = 32;
const SYNTAX_FAULTS_MAX = 5;
/** Values after aliases are resolved; a file of a megabyte without aliases has far fewer. */
const VALUES_MAX = 200_000;

export interface YamlOptions {
  /** The source of `${NAME}`; without it the text stays as it is. */
  readonly env?: Environment;
  /** Which values may contain `${NAME}`; by default all. */
  readonly interpolated?: (path: Path) => boolean;
  /** Keys that precede the file's own: a file given to `skep intake` is the `intake` part of a node's file. */
  readonly prefix?: readonly string[];
  /** Keys of the file's root that belong to a section: a file given to `skep content` has them beside its tenants. */
  readonly rooted?: { readonly section: string; readonly keys: ReadonlySet<string> };
}

export interface YamlFile {
  readonly tree: Tree;
  readonly problems: readonly Problem[];
  /** Whether the tree is empty because nothing could be read: checking it would only repeat the problem. */
  readonly broken: boolean;
}

/** The tree of a file; problems when it cannot be read or is not YAML. Never throws for the content of a file. */
export function readYamlFile(file: string, options: YamlOptions = {}): YamlFile {
  try {
    return parseYaml(readFileSync(file, 'utf8'), file, options);
  } catch (error) {
    const message = `cannot read the file: ${whyUnread(error as NodeJS.ErrnoException)}`;
    const at = { file, line: 0, column: 0 };
    const problems = [problemAt(at, [], message, 'check the path and its permissions')];
    return { tree: new Tree(at), problems, broken: true };
  }
}

function whyUnread({ code, message }: NodeJS.ErrnoException): string {
  if (code === 'ENOENT') return 'there is no such file';
  if (code === 'EISDIR') return 'it is a directory';
  return code === 'EACCES' ? 'this user may not read it' : message;
}

/** As `readYamlFile`, for text that is already here. */
export function parseYaml(text: string, file: string, options: YamlOptions = {}): YamlFile {
  const start = { file, line: 1, column: 1 };
  const fail = (message: string, mend: string): YamlFile => ({
    tree: new Tree(start),
    problems: [problemAt(start, [], message, mend)],
    broken: true,
  });
  if (Buffer.byteLength(text) > BYTES_MAX) return fail('the file is larger than 1 MiB', 'split it');
  try {
    return new Walk(text, file, options).run();
  } catch (error) {
    if (error instanceof RangeError) return fail('the file is nested too deeply', `nest at most ${DEPTH_MAX} levels`);
    return fail(`not YAML: ${(error as Error).message}`, 'check the syntax near the start of the file');
  }
}

class Walk {
  readonly #lines = new LineCounter();
  readonly #document: Document.Parsed;
  readonly #text: string;
  readonly #file: string;
  readonly #options: YamlOptions;
  readonly #problems: Problem[] = [];
  readonly #tree: Tree;
  #values = 0;

  constructor(text: string, file: string, options: YamlOptions) {
    this.#text = text;
    this.#file = file;
    this.#options = options;
    this.#document = parseDocument(text, { lineCounter: this.#lines, prettyErrors: false, stringKeys: true });
    this.#tree = new Tree({ file, line: 1, column: 1 });
  }

  run(): YamlFile {
    this.#syntax();
    const broken = this.#problems.length > 0;
    const contents = this.#document.contents;
    const empty = contents === null || (isScalar(contents) && contents.value === null);
    if (!broken && !empty) {
      const prefix = this.#options.prefix ?? [];
      const value = this.#value(contents, prefix);
      if (prefix.length === 0) this.#tree.value = value;
      else this.#tree.set(prefix, value, this.#place(0));
    }
    return { tree: this.#tree, problems: this.#problems, broken };
  }

  /** The first fault of each line, and only a few: the others mostly result from the first. */
  #syntax(): void {
    const lines = new Set<number>();
    for (const error of this.#document.errors) {
      if (error.message.startsWith('Maximum call stack')) throw new RangeError(error.message);
      const place = this.#place(error.pos[0]);
      if (lines.has(place.line) || lines.size === SYNTAX_FAULTS_MAX) continue;
      lines.add(place.line);
      const [message, mend] = syntaxMend(error.code, error.message, this.#lineText(place.line));
      this.#problems.push(problemAt(place, [], message, mend));
    }
  }

  #place(offset: number): Place {
    const { line, col } = this.#lines.linePos(offset);
    return { file: this.#file, line: Math.max(1, line), column: Math.max(1, col) };
  }

  #lineText(line: number): string {
    const start = this.#lines.lineStarts[line - 1] ?? 0;
    return this.#text.slice(start, this.#lines.lineStarts[line]);
  }

  #placeOfNode(node: Node | null | undefined): Place {
    return this.#place(node?.range?.[0] ?? 0);
  }

  #problem(node: Node | null, path: Path, message: string, mend: string): null {
    this.#problems.push(problemAt(this.#placeOfNode(node), path, message, mend));
    return null;
  }

  #value(node: Node | null, path: Path): unknown {
    this.#values += 1;
    if (this.#values > VALUES_MAX) return this.#tooMany(node, path);
    if (path.length > DEPTH_MAX)
      return this.#problem(node, [], 'nested too deeply', `nest at most ${DEPTH_MAX} levels`);
    if (isAlias(node)) return this.#alias(node.resolve(this.#document), node, path);
    if (isYamlMap(node)) return this.#map(node, path);
    if (isSeq(node)) return this.#list(node, path);
    return isScalar(node) ? this.#scalar(node.value, node, path) : null;
  }

  #tooMany(node: Node | null, path: Path): null {
    if (this.#values > VALUES_MAX + 1) return null;
    return this.#problem(node, path, 'aliases repeat too much', 'write the values out, or split the file');
  }

  #alias(target: Node | undefined, node: Node, path: Path): unknown {
    if (target !== undefined) return this.#value(target, path);
    return this.#problem(node, path, 'an alias without an anchor before it', 'put the anchor (&name) before its use');
  }

  #map(node: YAMLMap, path: Path): Record<string, unknown> {
    const map = emptyMap();
    for (const pair of node.items as Pair<Node, Node | null>[]) {
      const key = isScalar(pair.key) ? String(pair.key.value) : null;
      if (key === null || key === '__proto__') {
        this.#problem(pair.key, path, 'not usable as a key', 'write the key as a plain word');
        continue;
      }
      const { section = null, keys } = this.#options.rooted ?? {};
      const within = path.length === 0 && keys?.has(key) === true ? section : null;
      if (within === null) map[key] = this.#entry(pair, [...path, key]);
      else this.#rooted(map, within, key, pair);
    }
    return map;
  }

  #entry({ key, value }: Pair<Node, Node | null>, path: Path): unknown {
    const keyPlace = this.#placeOfNode(key);
    this.#tree.mark(path, keyPlace, hasText(value) ? this.#placeOfNode(value) : keyPlace);
    return this.#value(value, path);
  }

  /** A section is written at the root, or under its name: both together would be ambiguous. */
  #rooted(map: Record<string, unknown>, section: string, key: string, pair: Pair<Node, Node | null>): void {
    if (this.#document.has(section)) {
      const mend = `move it into \`${section}:\`, or write all of that section at the root`;
      this.#problem(pair.key, [key], `there is a section ${section}, too`, mend);
      return;
    }
    if (!Object.hasOwn(map, section))
      this.#tree.mark([section], this.#placeOfNode(pair.key), this.#placeOfNode(pair.key));
    const within = (map[section] ??= emptyMap()) as Record<string, unknown>;
    within[key] = this.#entry(pair, [section, key]);
  }

  #list(node: YAMLSeq, path: Path): unknown[] {
    return (node.items as Node[]).map((item, at) => {
      const place = this.#placeOfNode(item);
      this.#tree.mark([...path, at], place, place);
      return this.#value(item, [...path, at]);
    });
  }

  #scalar(value: unknown, node: Node, path: Path): unknown {
    const { env, interpolated } = this.#options;
    if (env === undefined || typeof value !== 'string' || !value.includes('${')) return value;
    if (interpolated !== undefined && !interpolated(path)) return value;
    const found = interpolate(value, env);
    if (found.missing !== null)
      return this.#problem(
        node,
        path,
        `the environment has no ${found.missing}`,
        `set it (export ${found.missing}=…), or write the value here`,
      );
    if (found.name !== null) this.#tree.markLoose(path, `$${found.name}`);
    return found.text;
  }
}

function hasText(node: Node | null): boolean {
  const range = node?.range;
  return range !== null && range !== undefined && range[1] > range[0];
}

function syntaxMend(code: string, message: string, line: string): [string, string] {
  const plain = message.replace(/ at line \d+, column \d+:?[\s\S]*$/, '');
  if (code === 'DUPLICATE_KEY') return ['the key is written twice', 'keep one of them'];
  if (code === 'NON_STRING_KEY') return ['a key must be text', 'put the key in quotes'];
  if (code === 'TAB_AS_INDENT') return ['a tab indents the line', 'indent with spaces'];
  if (code === 'MULTIPLE_DOCS') return ['the file holds more than one document', 'keep one, without `---` between'];
  if (/[{[].*[^"']\$\{/.test(line)) return [`not YAML: ${plain}`, 'put "${NAME}" in quotes inside { } and [ ]'];
  return [`not YAML: ${plain}`, 'mend the syntax; text with ": ", " #" or a leading special character needs quotes'];
}
