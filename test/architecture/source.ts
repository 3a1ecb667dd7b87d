/** What a source file imports, read without a parser: comments and templates blanked, strings taken out, then matched. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface SourceFile {
  /** From the root of the project, with slashes. */
  readonly path: string;
  readonly text: string;
}

export interface Import {
  readonly specifier: string;
  /** `type`: erased when it runs. `url`: a file named by `new URL('…', import.meta.url)`, as threads are, or by `join(import.meta.dirname, '…')`. */
  readonly how: 'import' | 'type' | 'url';
}

export interface Scan {
  readonly imports: readonly Import[];
  readonly hasDefaultExport: boolean;
  /** The code with comments and templates blanked and each string as `"<its index>"`. */
  readonly code: string;
}

const SKIPPED = new Set(['node_modules', '.git', '.skep', 'dist', 'results']);

/** Every file of the project whose name passes, as text. */
export function readTree(root: string, accepts: (path: string) => boolean, folder = ''): SourceFile[] {
  const out: SourceFile[] = [];
  for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory() && !SKIPPED.has(entry.name)) out.push(...readTree(root, accepts, path));
    else if (entry.isFile() && accepts(path)) out.push({ path, text: readFileSync(join(root, path), 'utf8') });
  }
  return out;
}

const CLAUSE = String.raw`(?:type\s+)?(?:\*(?:\s+as\s+\w+)?|\{[^{}]*\}|\w+(?:\s*,\s*(?:\{[^{}]*\}|\*\s+as\s+\w+))?)`;
const STATEMENT = new RegExp(String.raw`\b(?:import|export)\s+(?!type\b)${CLAUSE}\s*from\s*"(\d+)"`, 'g');
const TYPES = new RegExp(String.raw`\b(?:import|export)\s+(?=type\b)${CLAUSE}\s*from\s*"(\d+)"`, 'g');
const TYPE_OF = /\btypeof\s+import\s*\(\s*"(\d+)"/g;
const SIDE_EFFECT = /\bimport\s*"(\d+)"/g;
const DYNAMIC = /(?<!\btypeof\s+)\bimport\s*\(\s*"(\d+)"/g;
const THREAD = /\bnew\s+URL\s*\(\s*"(\d+)"\s*,\s*import\.meta\.url/g;
const CHILD = /\bimport\.meta\.dirname\s*,\s*"(\d+)"/g;
const DEFAULT_EXPORT = /\bexport\s+default\b|\bexport\s*\{[^}]*\bas\s+default\b/;

/** Finds imports of every form, and default exports. */
export function scan(text: string): Scan {
  const { code, strings } = blank(text);
  const imports: Import[] = [];
  for (const [pattern, how] of [
    [STATEMENT, 'import'],
    [TYPES, 'type'],
    [TYPE_OF, 'type'],
    [SIDE_EFFECT, 'import'],
    [DYNAMIC, 'import'],
    [THREAD, 'url'],
    [CHILD, 'url'],
  ] as const)
    for (const match of code.matchAll(pattern)) imports.push({ specifier: strings[Number(match[1])]!, how });
  return { imports, hasDefaultExport: DEFAULT_EXPORT.test(code), code };
}

/** After one of these a slash begins a regular expression, after anything else it divides. */
const BEFORE_REGEX = /(?:^|[(,=:[!&|?{};+\-*%<>~^]|\b(?:return|typeof|case|in|of|do|else|void|await))\s*$/;

/** What may begin a token that is taken out. */
const BEGINS = /['"`/]/g;
/** So much of the code before a slash tells what the slash is. */
const BEFORE_CHARS = 12;

/** Takes comments, strings, templates and regular expressions out of the code. */
function blank(text: string): { code: string; strings: string[] } {
  const strings: string[] = [];
  const parts: string[] = [];
  let before = '';
  const add = (part: string): void => {
    parts.push(part);
    before = (before + part.slice(-BEFORE_CHARS)).slice(-BEFORE_CHARS);
  };
  let at = 0;
  while (at < text.length) {
    BEGINS.lastIndex = at;
    const next = BEGINS.exec(text)?.index ?? text.length;
    if (next > at) add(text.slice(at, next));
    at = next;
    if (at === text.length) break;
    const char = text[at]!;
    const end = endOfToken(text, at, before);
    if (end < 0) add(char);
    else if (char === "'" || char === '"') add(`"${strings.push(text.slice(at + 1, end - 1)) - 1}"`);
    else add(char === '`' ? '``' : ' ');
    at = end < 0 ? at + 1 : end;
  }
  return { code: parts.join(''), strings };
}

/** Where the comment, string, template or regular expression that begins here ends; -1 when none does. */
function endOfToken(text: string, at: number, before: string): number {
  const char = text[at];
  switch (char) {
    case "'":
    case '"':
    case '`':
      return endOfQuoted(text, at, char);
    case '/':
      if (text[at + 1] === '/') return endOr(text.indexOf('\n', at), text.length);
      if (text[at + 1] === '*') return endOr(text.indexOf('*/', at + 2) + 2, text.length);
      return BEFORE_REGEX.test(before) ? endOfRegex(text, at) : -1;
    default:
      return -1;
  }
}

function endOr(found: number, end: number): number {
  return found <= 1 ? end : found;
}

function endOfQuoted(text: string, at: number, quote: string): number {
  for (let i = at + 1; i < text.length; i++) {
    if (text[i] === '\\') i++;
    else if (text[i] === quote) return i + 1;
    else if (quote === '`' && text.startsWith('${', i)) i = endOfHole(text, i + 2) - 1;
  }
  return text.length;
}

/** Past the `}` of a template's hole, which may hold strings and templates of its own. */
function endOfHole(text: string, at: number): number {
  let depth = 1;
  for (let i = at; i < text.length; i++) {
    if (text[i] === '{') depth++;
    else if (text[i] === '}' && --depth === 0) return i + 1;
    else if (text[i] === "'" || text[i] === '"' || text[i] === '`') i = endOfQuoted(text, i, text[i]!) - 1;
  }
  return text.length;
}

function endOfRegex(text: string, at: number): number {
  let inClass = false;
  for (let i = at + 1; i < text.length && text[i] !== '\n'; i++) {
    if (text[i] === '\\') i++;
    else if (text[i] === '[') inClass = true;
    else if (text[i] === ']') inClass = false;
    else if (text[i] === '/' && !inClass) return i + 1;
  }
  return -1;
}
