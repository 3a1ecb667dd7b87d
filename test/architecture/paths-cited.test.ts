/** Every citation, link and file name leads somewhere, and none leads out of the repository. Each way to fail is planted below. */
import { describe, expect, test } from 'vitest';
import { checkCitations, checkLinks, checkMap, checkNamedFiles, readPage, shelfOf } from './cited-paths.ts';
import { ROOT } from './project.ts';
import { readTree, type SourceFile } from './source.ts';

const TEXT = /^(?!.*package-lock\.json).*\.(ts|mjs|md|yaml|c|sh)$/;
/** These files hold planted faults. */
const PLANTED = /^test\/architecture\/(?:(?:paths-cited|tidy|decisions)\.test|cited-paths)\.ts$/;
/** A diary names what there was. */
const DIARY = 'CHANGELOG.md';

const paths: string[] = [];
const files = readTree(ROOT, (path) => paths.push(path) > 0 && TEXT.test(path)).filter(
  ({ path }) => !PLANTED.test(path),
);
const isPage = ({ path }: SourceFile): boolean => path.endsWith('.md');
const project = shelfOf(paths, files.filter(isPage));

describe('the project', { timeout: 120_000 }, () => {
  test('cites pages, sections and headings that there are', () => {
    expect(files.flatMap((file) => checkCitations(file, project))).toEqual([]);
  });

  test('follows its links', () => {
    expect(files.filter(isPage).flatMap((file) => checkLinks(file, project))).toEqual([]);
  });

  test('names files that there are: in maps, READMEs, docs and comments', () => {
    const maps = files.filter((file) => isPage(file) && file.path !== DIARY);
    expect(maps.flatMap((file) => checkMap(file, project))).toEqual([]);
    expect(files.filter((file) => !isPage(file)).flatMap((file) => checkNamedFiles(file, project))).toEqual([]);
  });

  test('cites its contract, by section, in code and tests', () => {
    const citing = files.filter(({ text }) => /docs\/contract\/[\w-]+\.md §\d/.test(text));
    expect(citing.length).toBeGreaterThan(400);
  });

  test('numbers every heading of the contract but its titles, and no number twice', () => {
    for (const { path, text } of files.filter((file) => /^docs\/contract\/(?!README)/.test(file.path))) {
      const headings = text.match(/^#{2,} .+$/gm) ?? [];
      expect([path, project.pages.get(path)!.numbers.size]).toEqual([path, headings.length]);
    }
  });
});

const CONTRACT = `# Keys

## 1 What a key is

### 1.1 Secret and record

**A secret is shown once.** Then only its hash is left.

\`\`\`yaml
# no heading
\`\`\`
## Secrets & records
## Secrets & records
`;
const DECISIONS = '# Rates\n\n## RA-7 Callers of one IPv6 /64 share a bucket\n\n## D-2. Two words\n';
const shelf = shelfOf(
  ['docs/contract/keys.md', 'docs/reasons/rates.md', 'actors/a/README.md', 'actors/a/b/c.ts', 'actors/a/d.ts'],
  [
    { path: 'docs/contract/keys.md', text: CONTRACT },
    { path: 'docs/reasons/rates.md', text: DECISIONS },
  ],
);
const rulesOf = (found: readonly { readonly rule: string }[]) => found.map(({ rule }) => rule);
const cites = (text: string, path = 'actors/a/d.ts') => rulesOf(checkCitations({ path, text }, shelf));

describe('caught: a citation of', () => {
  test.each([
    ['a page that there is not', '/** docs/contract/gone.md */', 'page'],
    ['a page by its plain name, from elsewhere', '/** See keys.md. */', 'page'],
    ['a page in a string', "const a = 'docs/reasons/gone.md';", 'page'],
    ['a section that there is not', '/** docs/contract/keys.md §1.2 */', 'section'],
    ['a second section that there is not', '/** docs/contract/keys.md §1, §3 */', 'section'],
    ['a section behind words', '/** docs/contract/keys.md §1 (keys), §9 (more) */', 'section'],
    ['a section on the next line', '/**\n * docs/contract/keys.md\n * §4\n */', 'section'],
    ['a decision that there is not', '/** docs/reasons/rates.md §RA-9 */', 'section'],
    ['a decision without its sign', '/** docs/reasons/rates.md RA-9 */', 'section'],
    ['a section of nothing', '/** as §4 says */', 'section'],
    ['a section of nothing, after another comment', '/** docs/contract/keys.md */\n/** §1 */', 'section'],
    ['a heading that there is not', '/** docs/reasons/rates.md, "Callers of two" */', 'title'],
    ['a second heading that there is not', '/** docs/reasons/rates.md "Callers of one", "More" */', 'title'],
    ['a heading over two lines', '/**\n * docs/reasons/rates.md, "Callers\n * of two" */', 'title'],
    ['the design, whose sections are of no page', '/** Slices (DESIGN §3). */', 'section outside'],
    ['the design by heading', '/** DESIGN "Four floors". */', 'outside'],
    ['the style', '/** Pure (STYLE 10 and 11). */', 'outside'],
    ['a folder beside the project', '/** see ../shared for more */', 'outside'],
    ['an issue', '/** What a start refuses (issue 9). */', 'outside'],
  ])('%s', (_name, text, rule) => {
    expect(cites(text).join(' ')).toBe(rule);
  });

  test('the papers by their file names', () => {
    for (const name of ['DESIGN', 'AUDIT', 'HOUSE', 'LIBRARIES', 'CLUSTER'])
      expect(cites(`// ${name}.md`)).toEqual(['page', 'outside']);
    expect(cites('// decisions.md "Audit"')).toEqual(['page']);
  });

  test('its own section, in a page', () => {
    expect(cites('as §1.1 says, and §7', 'docs/contract/keys.md')).toEqual(['section']);
    expect(cites('`docs/contract/keys.md` §8', 'actors/a/README.md')).toEqual(['section']);
    expect(cites('`docs/reasons/rates.md` RA-7 to RA-9', 'actors/a/README.md')).toEqual(['section']);
    expect(cites('[rates](../reasons/rates.md) §1.1', 'docs/contract/keys.md')).toEqual(['section']);
  });
});

test('citations that lead somewhere', () => {
  expect(
    cites('/** docs/contract/keys.md §1, §1.1; RFC 9110 §13.1.1; docs/reasons/rates.md §RA-7, by SHA-256 */'),
  ).toEqual([]);
  expect(cites('/** docs/reasons/rates.md, "Callers of one IPv6", "Two words" */')).toEqual([]);
  expect(cites('/** docs/contract/keys.md, "A secret is shown once" */')).toEqual([]);
  expect(cites('// `*.md`, <page>.md, https://example.org/a.md')).toEqual([]);
  expect(cites('The vault keeps it ([rates](../reasons/rates.md)). It is §1.1 here.', 'docs/contract/keys.md')).toEqual(
    [],
  );
});

describe('caught in a page', () => {
  const links = (text: string) => rulesOf(checkLinks({ path: 'docs/contract/keys.md', text }, shelf));

  test('a link that leads nowhere, by file or by heading', () => {
    expect(links('[a](gone.md)')).toEqual(['link']);
    expect(links('[a](../../actors/a/README.md)')).toEqual(['link']);
    expect(links('[a](../reasons/rates.md#gone)')).toEqual(['anchor']);
    expect(links('[a](#12-secret-and-record)')).toEqual(['anchor']);
    expect(links('[a](#secrets--records-2)')).toEqual(['anchor']);
    expect(links('[a](#no-heading)')).toEqual(['anchor']);
    expect(links('[a](#v2.no_such_row)')).toEqual(['anchor']);
  });

  test('but none that leads somewhere', () => {
    expect(links('[a](keys.md#11-secret-and-record) [b](#secrets--records-1) [c](https://example.org/x)')).toEqual([]);
    expect(links('[a](../reasons/rates.md#ra-7-callers-of-one-ipv6-64-share-a-bucket) [b](../reasons/)')).toEqual([]);
    expect(links('```\n[a](gone.md)\n```')).toEqual([]);
  });

  test('a number, with or without the dot of a list', () => {
    expect([...readPage(DECISIONS).numbers]).toEqual(['RA-7', 'D-2']);
  });
});

describe('caught in a map', () => {
  const names = (text: string) => rulesOf(checkMap({ path: 'actors/a/README.md', text }, shelf));

  test('a file or a folder that is not there', () => {
    expect(names('| see | `gone.ts` |')).toEqual(['map']);
    expect(names('| see | `actors/a/gone/` |')).toEqual(['map']);
    expect(names('| see | `b/{c,e}.ts` |')).toEqual(['map']);
    expect(names('| see | `docs/contract/keys.md` |\n| and | `rates.md` |')).toEqual(['map']);
  });

  test('but no name that is there, or means something else', () => {
    expect(names('| see | `d.ts`, `b/c.ts`, `#actors/a/d.ts`, `actors/a/b/`, `b/{c}.ts` |')).toEqual([]);
    expect(
      names('| see | `docs/reasons/`, `rates.md` | `*.ts`, `product.yaml`, `.skep/x/`, `content/types/` |'),
    ).toEqual([]);
  });

  test('a file that a comment names', () => {
    const named = (text: string) => rulesOf(checkNamedFiles({ path: 'actors/a/d.ts', text }, shelf));
    expect(named('/** as actors/a/b/gone.ts does */')).toEqual(['file']);
    expect(named("import '#actors/a/gone.ts'; // actors/a/b/c.ts")).toEqual([]);
  });
});
