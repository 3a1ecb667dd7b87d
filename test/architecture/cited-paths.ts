/**
 * What the project cites (pages, sections, headings, links, anchors, files), held against what there is. Pure: the files come in as
 * text. Each rule has planted faults in paths-cited.test.ts.
 */
import { posix } from 'node:path';
import type { Violation } from './floor-plan.ts';
import type { SourceFile } from './source.ts';

/** What a citation may name. */
export interface Shelf {
  /** Files and folders, from the root of the project. */
  readonly paths: ReadonlySet<string>;
  /** The same paths by their last part, in the same order. */
  readonly byName: ReadonlyMap<string, readonly string[]>;
  readonly pages: ReadonlyMap<string, Page>;
}

export interface Page {
  /** What a heading begins with: `3.2` of a contract, `AU-7` of a decision. */
  readonly numbers: ReadonlySet<string>;
  /** Headings and bold sentences, without their number and marks. */
  readonly titles: readonly string[];
  readonly anchors: ReadonlySet<string>;
}

/** The shelf of these paths; `pages` are the Markdown files among them. */
export function shelfOf(paths: Iterable<string>, pages: readonly SourceFile[]): Shelf {
  const all = new Set<string>();
  for (const path of paths) for (let at = path; at !== '.'; at = posix.dirname(at)) all.add(at);
  const byName = Map.groupBy(all, (path) => posix.basename(path));
  return { paths: all, byName, pages: new Map(pages.map(({ path, text }) => [path, readPage(text)])) };
}

const HEADING = /^#{1,6} (.+)$/gm;
/** The anchor of a row, which has no heading. */
const SET_ANCHOR = /<a id="([^"]+)"><\/a>/g;
const BOLD = /\*\*([^*]+)\*\*/g;
const NUMBER = /^((?:[A-Z]+-)?\d+(?:\.\d+)*)\.? +/;

/** A Markdown page as citations see it. */
export function readPage(text: string): Page {
  const prose = withoutFences(text);
  const headings = [...prose.matchAll(HEADING)].map(([, heading]) => heading!);
  const seen = new Map<string, number>();
  const anchors = headings.map((heading) => {
    const slug = slugOf(heading);
    const before = seen.get(slug) ?? 0;
    seen.set(slug, before + 1);
    return before === 0 ? slug : `${slug}-${before}`;
  });
  const words = prose.replaceAll(/`[^`\n]*`/g, (code) => code.replaceAll('*', ''));
  const bold = [...words.matchAll(BOLD)].map(([, sentence]) => sentence!);
  return {
    numbers: new Set(headings.flatMap((heading) => NUMBER.exec(heading)?.[1] ?? [])),
    titles: [...headings, ...bold].map((title) => plain(title.replace(NUMBER, ''))),
    anchors: new Set([...anchors, ...[...prose.matchAll(SET_ANCHOR)].map(([, id]) => id!)]),
  };
}

function withoutFences(text: string): string {
  return text.replaceAll(/^```[\s\S]*?^```/gm, (fence) => fence.replaceAll(/[^\n]/g, ''));
}

function plain(text: string): string {
  const words = text.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll(/[`*]/g, '');
  return words.replaceAll(/\s+(?:\* )?/g, ' ').trim();
}

/** The anchor that GitHub gives a heading. */
function slugOf(heading: string): string {
  return plain(heading)
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{M}_\- ]/gu, '')
    .replaceAll(' ', '-');
}

/** Everything that one file cites and that is not there. */
export function checkCitations(file: SourceFile, shelf: Shelf): Violation[] {
  return [pages, sections, titles, outsiders].flatMap((rule) => rule(file, shelf));
}

/** Most files name no page: what looks for one leaves them at once. */
const namesPage = (text: string): boolean => text.includes('.md');

const MARKDOWN = /(?<![\w./:@#-])[\w./:@#-]*\.md\b/g;
/** Part of a name with holes: `*.md`, `<page>.md`, `${name}.md`. */
const HOLE = /[*>}$]$/;

function pages({ path, text }: SourceFile, shelf: Shelf): Violation[] {
  const out: Violation[] = [];
  if (!namesPage(text)) return out;
  for (const { 0: cited, index } of text.matchAll(MARKDOWN)) {
    if (cited === '.md' || cited.includes('://') || HOLE.test(text.slice(0, index))) continue;
    if (resolved(path, cited, shelf) === null) out.push({ rule: 'page', path, what: `${cited} does not exist` });
  }
  return out;
}

/** The path that a citation means: from the root, or from the folder of the file that cites. */
function resolved(from: string, cited: string, { paths }: Shelf): string | null {
  const near = posix.join(posix.dirname(from), cited);
  return [near, posix.normalize(cited)].find((path) => paths.has(path.replace(/\/$/, ''))) ?? null;
}

const STANDARD = String.raw`\b(?:RFC|NIST|SP|FIPS|ISO|X\.\d+|C2SP|SPIFFE|PASETO|GraphQL|OpenID|WebAuthn|W3C|XML|Lua)\b`;
const SECTIONS = new RegExp(
  String.raw`(?<![\w./-])([\w./-]+\.md)\b|(${STANDARD})|§((?:[A-Z]+-)?\d+(?:\.\d+)*)|\b([A-Z]{2,3}-\d+)\b|(\n[ \t]*(?:\*|//)?[ \t]*\n|\*/)`,
  'g',
);
/** What may stand between a page and its section in Markdown; anything else and the section is of the file itself. */
const JOINT = /^(?:[`)]{0,2}(?:,| and| to)? ?|\([^)§]*\), )$/;

/** A section (`§3.2`, a decision also as `AU-7`) belongs to the page that the same comment named before it, else to a standard. */
function sections({ path, text }: SourceFile, shelf: Shelf): Violation[] {
  const out: Violation[] = [];
  const self = path.endsWith('.md') ? posix.basename(path) : null;
  if (self === null && !namesPage(text) && !text.includes('§')) return out;
  const pageOf = (owner: string | null) => shelf.pages.get(resolved(path, owner ?? '', shelf) ?? '');
  let owner: string | null = null;
  let standard: string | null = null;
  let end = 0;
  for (const { 0: token, 1: page, 2: named, 3: section, 4: decision, index } of text.matchAll(SECTIONS)) {
    standard = named ?? standard;
    const number = section ?? decision;
    if (number === undefined) owner = page ?? named ?? null;
    else {
      const far = self !== null && owner?.endsWith('.md') === true && !JOINT.test(text.slice(end, index));
      const of = (far ? null : owner) ?? self ?? standard;
      if (section !== undefined && of === null) out.push({ rule: 'section', path, what: `${token} is of no page` });
      else if (isMissing(number, section === undefined, pageOf(of)))
        out.push({ rule: 'section', path, what: `${of} has no ${token}` });
    }
    end = index + token.length;
  }
  return out;
}

/** `SHA-256` is no decision: without the sign a number counts where the page has others of its kind. */
function isMissing(number: string, isBare: boolean, page: Page | undefined): boolean {
  if (page === undefined || page.numbers.has(number)) return false;
  const kind = number.slice(0, number.indexOf('-') + 1);
  return !isBare || [...page.numbers].some((there) => there.startsWith(kind));
}

const TITLED = /(?<![\w./-])([\w./-]+\.md)\b[`)]?,?\s(?:\* )?((?:"[^"]+"(?:,| and)?\s?(?:\* )?)+)/g;

/** A heading in quotes behind a page: the page has one, or a bold sentence, that begins so. */
function titles({ path, text }: SourceFile, shelf: Shelf): Violation[] {
  const out: Violation[] = [];
  if (!namesPage(text)) return out;
  for (const [, cited, quoted] of text.matchAll(TITLED)) {
    const page = shelf.pages.get(resolved(path, cited!, shelf) ?? '');
    if (page === undefined) continue;
    for (const [, title] of quoted!.matchAll(/"([^"]+)"/g))
      if (!page.titles.some((there) => there.startsWith(plain(title!))))
        out.push({ rule: 'title', path, what: `${cited} has no "${plain(title!)}"` });
  }
  return out;
}

/** Papers that are not in the repository. Their plain names (`identity.md`) are caught as pages that do not exist. */
const OUTSIDE = [
  /\b(?:DESIGN|LIBRARIES|HOUSE|AUDIT|CLUSTER|CONSOLE)(?:\.md\b| §| ")/g,
  /\bSTYLE \d+/g,
  /\.\.\/shared\b/g,
  /\b[Ii]ssue \d{1,2}\b/g,
];

function outsiders({ path, text }: SourceFile): Violation[] {
  return OUTSIDE.flatMap((pattern) =>
    [...text.matchAll(pattern)].map(([what]) => ({ rule: 'outside', path, what: `names ${what}` })),
  );
}

const LINK = /\]\(([^()\s]+)\)/g;

/** What the site of the documentation shows besides `docs/`. */
const ON_SITE: ReadonlySet<string> = new Set(['CHANGELOG.md', 'SECURITY.md']);

/** Relative links of a Markdown page: the file is there, and has the anchor; those of a page of the site stay on the site. */
export function checkLinks({ path, text }: SourceFile, shelf: Shelf): Violation[] {
  const out: Violation[] = [];
  for (const [, link] of withoutFences(text).matchAll(LINK)) {
    if (/^[a-z]+:/.test(link!)) continue;
    const [file = '', anchor] = link!.split('#');
    const target = file === '' ? path : posix.join(posix.dirname(path), file).replace(/\/$/, '');
    if (!shelf.paths.has(target)) out.push({ rule: 'link', path, what: `${link} leads nowhere` });
    else if (path.startsWith('docs/') && !target.startsWith('docs/') && !ON_SITE.has(target))
      out.push({ rule: 'link', path, what: `${link} is on no page of the site: name the file in backquotes` });
    else if (anchor !== undefined && shelf.pages.get(target)?.anchors.has(anchor) === false)
      out.push({ rule: 'anchor', path, what: `${link} has no such heading` });
  }
  return out;
}

const IN_CODE = /`([^`\s]+)`/g;
const IS_FILE = /^[#\w./{},-]+\.(?:ts|mjs|md|sh|c)$/;
const IS_FOLDER = /^(?:\.\.?\/|#?(?:client|config|storage|actors|runtime|bench|test|docs)\/)[\w./{},-]*\/$/;

/**
 * Files that a map names in backticks (ARCHITECTURE.md, the READMEs of rooms, docs). A name counts from the root, as the end of a path
 * below the map's room (a map that lies in no room has the whole project), or beside what the same line named before.
 */
export function checkMap({ path, text }: SourceFile, { paths, byName }: Shelf): Violation[] {
  const room = path.startsWith('docs/') || !path.includes('/') ? '' : `${posix.dirname(path)}/`;
  const below = (end: string): string | undefined =>
    byName.get(posix.basename(end))?.find((at) => at.startsWith(room) && at.endsWith(`/${end}`));
  const out: Violation[] = [];
  for (const line of withoutFences(text).split('\n')) {
    const folders = ['', room];
    for (const name of [...line.matchAll(IN_CODE)].flatMap(([, code]) => spread(code!))) {
      const bare = name.replace(/^#/, '').replace(/\/$/, '');
      const there = folders.map((folder) => posix.join(folder, bare)).find((at) => paths.has(at)) ?? below(bare);
      if (there !== undefined) folders.push(posix.dirname(there), there);
      else if (IS_FILE.test(name) || IS_FOLDER.test(name))
        out.push({ rule: 'map', path, what: `${name} is not there` });
    }
  }
  return out;
}

/** `a/{b,c}.ts` as its names. */
export function spread(name: string): string[] {
  const braces = /^(.*?)\{([^{}]+)\}(.*)$/.exec(name);
  if (braces === null) return [name];
  const [, before, inside, after] = braces;
  return inside!.split(',').flatMap((part) => spread(`${before}${part.trim()}${after}`));
}

const ROOTED =
  /(?<![\w#./'"`-])((?:client|config|storage|actors|runtime|bench|test)\/[\w./-]+\.(?:ts|mjs))\b(?!['"`])/g;

/** Files of the project that a comment names from the root. What code names in quotes, the compiler and the tests that read it judge. */
export function checkNamedFiles({ path, text }: SourceFile, { paths }: Shelf): Violation[] {
  return [...text.matchAll(ROOTED)]
    .filter(([, named]) => !paths.has(named!))
    .map(([, named]) => ({ rule: 'file', path, what: `${named} does not exist` }));
}
