/** The pages of docs/decisions as data, and what is wrong with them: numbers, dates, statuses, the index, and who cites what. */
import type { Violation } from './floor-plan.ts';
import type { SourceFile } from './source.ts';

interface Decision {
  readonly page: string;
  /** `ST-7`: the page's prefix and a number. */
  readonly id: string;
  readonly title: string;
  /** The line below the heading, and the first one of its text. */
  readonly dated: string;
  readonly text: string;
}

export const FOLDER = 'docs/decisions/';
const INDEX = `${FOLDER}README.md`;
const HEADING = /^## ([A-Z]{2}-\d+) (.+)$/;
const DATED = /^\d{4}-\d\d-\d\d · (?:accepted|amended \d{4}-\d\d-\d\d|superseded by ([A-Z]{2}-\d+))$/;
/** A page and, where they follow it, decisions (`ST-1`, `ST-1 to ST-3`, `ST-1 and ST-3`) and the words of a heading. */
const CITATION = /docs\/decisions\/([\w-]+\.md)`?((?:(?:,? | to | and )[A-Z]{2}-\d+)*)(?:,? "([^"]+)")?/g;
/** What a comment puts between two words at the end of a line. */
const LINE_END = /\s*\n\s*(?:\*\s+|\/\/\s+)?/g;

/** Violations of the pages, of their index, and of whatever cites them. */
export function checkDecisions(files: readonly SourceFile[]): Violation[] {
  const pages = files.filter(({ path }) => path.startsWith(FOLDER) && path.endsWith('.md') && path !== INDEX);
  const decisions = pages.flatMap(decisionsOf);
  const index = files.find(({ path }) => path === INDEX)?.text ?? '';
  return [
    ...pages.flatMap(checkHeadings),
    ...decisions.flatMap((decision) => checkDecision(decision, decisions)),
    ...checkNumbers(decisions),
    ...checkIndex(index, pages, decisions),
    ...files.flatMap((file) => checkCitations(file, pages, decisions)),
  ];
}

function decisionsOf({ path, text }: SourceFile): Decision[] {
  const lines = text.split('\n');
  return lines.flatMap((line, at) => {
    const [, id, title] = HEADING.exec(line) ?? [];
    if (id === undefined) return [];
    return [{ page: path, id, title: title!, dated: lines[at + 1] ?? '', text: lines[at + 3] ?? '' }];
  });
}

function checkHeadings({ path, text }: SourceFile): Violation[] {
  const headings = text.split('\n').filter((line) => line.startsWith('##'));
  return headings
    .filter((line) => !HEADING.test(line))
    .map((line) => ({ rule: 'number', path, what: `"${line}" has no number` }));
}

function checkDecision({ page, id, dated, text }: Decision, all: readonly Decision[]): Violation[] {
  const [line, successor] = DATED.exec(dated) ?? [];
  if (line === undefined) return [{ rule: 'status', path: page, what: `${id} has no date and status` }];
  if (successor !== undefined && !all.some((other) => other.id === successor))
    return [{ rule: 'status', path: page, what: `${id} is superseded by ${successor}, which there is not` }];
  return text === '' || text.startsWith('#') ? [{ rule: 'text', path: page, what: `${id} says nothing` }] : [];
}

/** A page has one prefix, which no other page has, and its numbers ascend, so that none is given twice. */
function checkNumbers(decisions: readonly Decision[]): Violation[] {
  const pageOf = new Map<string, string>();
  const prefixOf = new Map<string, string>();
  const last = new Map<string, number>();
  return decisions.flatMap(({ page, id }) => {
    const [prefix, digits] = id.split('-') as [string, string];
    const isOfPage = (pageOf.get(prefix) ?? page) === page && (prefixOf.get(page) ?? prefix) === prefix;
    const ascends = Number(digits) > (last.get(prefix) ?? 0);
    pageOf.set(prefix, pageOf.get(prefix) ?? page);
    prefixOf.set(page, prefixOf.get(page) ?? prefix);
    last.set(prefix, Number(digits));
    if (!isOfPage) return [{ rule: 'prefix', path: page, what: `${id} has the prefix of another page` }];
    return ascends ? [] : [{ rule: 'number', path: page, what: `${id} is not above the one before it` }];
  });
}

function checkIndex(index: string, pages: readonly SourceFile[], decisions: readonly Decision[]): Violation[] {
  const say = (what: string): Violation => ({ rule: 'index', path: INDEX, what });
  const listed = index.split('\n').filter((line) => /^- [A-Z]{2}-\d+ /.test(line));
  const wanted = decisions.map(({ id, title }) => `- ${id} ${title}`);
  const rows = [...index.matchAll(/^\| \[([\w-]+\.md)\]/gm)].map(([, name]) => FOLDER + name!);
  return [
    ...wanted.filter((line) => !listed.includes(line)).map((line) => say(`misses "${line}"`)),
    ...listed.filter((line) => !wanted.includes(line)).map((line) => say(`lists "${line}", which there is not`)),
    ...pages.filter(({ path }) => !rows.includes(path)).map(({ path }) => say(`misses ${path}`)),
    ...rows.filter((row) => !pages.some(({ path }) => path === row)).map((row) => say(`lists ${row}`)),
  ];
}

/** Each page, number and heading that a file cites exists; a number on the pages themselves does, too. */
function checkCitations(
  { path, text }: SourceFile,
  pages: readonly SourceFile[],
  all: readonly Decision[],
): Violation[] {
  const say = (what: string): Violation => ({ rule: 'citation', path, what });
  const isThere = (id: string, page?: string) => all.some((one) => one.id === id && (page ?? one.page) === one.page);
  const faults = [...text.replaceAll(LINE_END, ' ').matchAll(CITATION)].flatMap(([, name, numbers = '', words]) => {
    const page = FOLDER + name!;
    if (page !== INDEX && !pages.some((one) => one.path === page)) return [say(`${page} is no page`)];
    const ids = [...numbers.matchAll(/[A-Z]{2}-\d+/g)].map(([id]) => id);
    const absent = ids.filter((id) => !isThere(id, page)).map((id) => say(`${page} has no ${id}`));
    const isQuoted = all.some((one) => one.page === page && one.title.startsWith(words ?? '') && ids.includes(one.id));
    return words === undefined || isQuoted
      ? absent
      : [...absent, say(`${page} has no "${words}" at ${ids.join(', ')}`)];
  });
  if (!path.startsWith(FOLDER)) return faults;
  const prefixes = new Set(all.map(({ id }) => id.slice(0, 2)));
  const named = [...text.matchAll(/\b([A-Z]{2})-\d+\b/g)].filter(([, prefix]) => prefixes.has(prefix!));
  return [...faults, ...named.filter(([id]) => !isThere(id)).map(([id]) => say(`there is no ${id}`))];
}
