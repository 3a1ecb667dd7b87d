/** The site of the documentation: `npm run build:site` makes it of the pages in `docs/`. What its pages may load: `./within-policy.ts`. */
import { copyFileSync, globSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitepress';
import packageFile from '../../package.json' with { type: 'json' };
import { alignByClass, anchorOf, keepBraces, mendLinks, showUntested } from './markdown.ts';
import { notesPackages, writePackages } from './packages-in-site.ts';
import { sidebar } from './sidebar.ts';
import { classesOfCode, iconsAsFiles, scriptsAsFiles, writeFilesOfPages } from './within-policy.ts';

const docs = fileURLToPath(new URL('..', import.meta.url));
/** Files that pages link to and that are no pages. */
const FILES = ['openapi*.json', 'operate/alerts.yml', 'operate/compose.yaml', 'operate/kubernetes.yaml', 'operate/dashboard.json', 'schemas/*.json'];
/** Folders whose README is their first page. */
const FOLDERS = ['contract', 'decisions', 'how-to', 'operate', 'reference', 'reference/definitions'];

export default defineConfig({
  title: 'Skep',
  description: 'A server for applications with many tenants, in one Node process',
  lang: 'en',
  outDir: fileURLToPath(new URL('../../site', import.meta.url)),
  cacheDir: fileURLToPath(new URL('../../node_modules/.cache/vitepress', import.meta.url)),
  rewrites: Object.fromEntries(FOLDERS.map((folder) => [`${folder}/README.md`, `${folder}/index.md`])),
  metaChunk: true,
  // A change of the colours would write a style into the page, to stop transitions for a moment.
  appearance: { disableTransition: false },
  contentProps: {},
  markdown: {
    anchor: { slugify: anchorOf },
    codeTransformers: [classesOfCode],
    config: (markdown) => {
      alignByClass(markdown);
      keepBraces(markdown);
      mendLinks(markdown);
      showUntested(markdown);
    },
  },
  // Small pictures stay files: a page may load nothing that is written into another file.
  vite: { build: { assetsInlineLimit: 0, chunkSizeWarningLimit: 10_000 }, plugins: [iconsAsFiles, notesPackages] },
  transformHtml: scriptsAsFiles,
  buildEnd: ({ outDir }) => {
    writeFilesOfPages(outDir);
    writePackages(join(outDir, '../site-packages.txt'));
    for (const file of globSync(FILES, { cwd: docs })) {
      mkdirSync(dirname(join(outDir, file)), { recursive: true });
      copyFileSync(join(docs, file), join(outDir, file));
    }
  },
  head: [
    ['link', { rel: 'icon', href: '/icon.svg' }],
    ['link', { rel: 'stylesheet', href: '/code.css' }],
  ],
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    nav: [
      { text: 'Tutorials', link: '/tutorials/help-desk', activeMatch: '^/tutorials/' },
      { text: 'How-to', link: '/how-to/', activeMatch: '^/(how-to|operate|package)' },
      { text: 'Reference', link: '/reference/', activeMatch: '^/(reference|contract|routes|refusals|sql)' },
      { text: 'Explanation', link: '/explanation/planes', activeMatch: '^/(explanation|decisions|benchmarks|findings)' },
      { text: packageFile.version, link: '/changelog' },
    ],
    sidebar: sidebar(docs),
    footer: { message: `Skep ${packageFile.version}. Apache-2.0.` },
  },
});
