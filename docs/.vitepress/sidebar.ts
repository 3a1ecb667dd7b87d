/** The table of contents: by what a reader wants. Names of pages are their first headings. */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { DefaultTheme } from 'vitepress';

type Item = DefaultTheme.SidebarItem;

const CHAPTERS: Readonly<Record<string, readonly string[]>> = {
  Tutorials: ['help-desk', 'console', 'help-desk-template', 'browser-app', 'second-tenant', 'audit-proof'].map((name) => `tutorials/${name}`),
  'How-to': [
    ...['develop-and-deploy', 'users', 'client', 'public-form', 'mail', 'webhooks', 'signed-urls', 'certificates', 'backup', 'managed-database', 'several-doors', 'patroni', 'rotate-keys', 'disk-full', 'editor'].map((name) => `how-to/${name}`),
    'package',
  ],
  Reference: ['reference/cli', 'reference/platform-file', 'reference/rules', 'routes', 'refusals', 'sql', 'changelog'],
  Explanation: [
    ...['planes', 'durability', 'rules', 'isolation', 'threat-model', 'cores', 'peers'].map((name) => `explanation/${name}`),
    'benchmarks',
    'findings',
    'security',
  ],
};
/** Pages that show another file of the project. */
const SHOWN: Readonly<Record<string, string>> = { changelog: 'Changelog', security: 'Security' };

/** The chapters with their pages; `docs` is the folder of the pages. Those for operators, contract and decisions are whole folders. */
export function sidebar(docs: string): Item[] {
  const page = (path: string): Item => ({ text: SHOWN[path] ?? titleOf(join(docs, `${path}.md`)), link: `/${path}` });
  const folder = (text: string, path: string): Item => ({
    text,
    link: `/${path}/`,
    collapsed: true,
    items: readdirSync(join(docs, path))
      .filter((name) => name.endsWith('.md') && name !== 'README.md')
      .sort()
      .map((name) => page(`${path}/${name.slice(0, -'.md'.length)}`)),
  });
  const chapters = Object.entries(CHAPTERS).map(([text, pages]): Item => ({ text, items: pages.map(page) }));
  chapters[1]!.items!.push(folder('Operating a node', 'operate'));
  chapters[2]!.items!.push(folder('Files that one writes', 'reference/definitions'), folder('The contract', 'contract'));
  chapters[3]!.items!.push(folder('Decisions', 'decisions'));
  return chapters;
}

function titleOf(file: string): string {
  return /^# (.+)$/m.exec(readFileSync(file, 'utf8'))?.[1] ?? file;
}
