/** What the site reads differently from plain Markdown: anchors as GitHub makes them, links out of `docs/`, marks of commands. */
import { posix } from 'node:path';
import type { MarkdownRenderer } from 'vitepress';

/** The anchor of a heading, as GitHub makes it, so that a link is right in both. */
export function anchorOf(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{M}_\- ]/gu, '')
    .replaceAll(' ', '-');
}

/** Pages of the root that the site has, by their path. */
const ROOT_PAGES: Readonly<Record<string, string>> = { 'CHANGELOG.md': 'docs/changelog.md', 'SECURITY.md': 'docs/security.md' };

/** Links are written for the repository: from the page `path` of `docs/`, in which the site's root lies. */
function siteLink(href: string, path: string): string {
  if (/^(?:[a-z]+:|[/#])/.test(href)) return href;
  const [file = '', anchor] = href.split('#');
  const hash = anchor === undefined ? '' : `#${anchor}`;
  const isOfRoot = Object.values(ROOT_PAGES).includes(`docs/${path}`);
  const source = isOfRoot ? file : posix.join('docs', posix.dirname(path), file);
  if (source.startsWith('docs/')) return `/${source.slice('docs/'.length).replace(/(^|\/)README\.md$/, '$1')}${hash}`;
  const page = ROOT_PAGES[source];
  return page === undefined ? href : `/${page.slice('docs/'.length)}${hash}`;
}

export function mendLinks(markdown: MarkdownRenderer): void {
  markdown.core.ruler.push('mend-links', ({ tokens, env }) => {
    for (const token of tokens.flatMap(({ children }) => children ?? [])) {
      const href = token.type === 'link_open' ? token.attrGet('href') : null;
      if (href !== null) token.attrSet('href', siteLink(href, (env as { relativePath: string }).relativePath));
    }
  });
}

/** `sh untested: <reason>` says the reason below the block. */
export function showUntested(markdown: MarkdownRenderer): void {
  const fence = markdown.renderer.rules.fence!;
  markdown.renderer.rules.fence = (tokens, at, options, env, self) => {
    const html = fence(tokens, at, options, env, self);
    const reason = /^\w+ untested: (.+)$/.exec(tokens[at]!.info.trim())?.[1];
    return reason === undefined ? html : `${html}<p><em>No test runs this: ${markdown.utils.escapeHtml(reason)}.</em></p>`;
  };
}

/** Braces in text are text: a page is no template, and Vue would take `{{…}}` for an expression. */
export function keepBraces(markdown: MarkdownRenderer): void {
  const { text, code_inline: code } = markdown.renderer.rules;
  const kept = (html: string): string => html.replaceAll('{{', '{&#123;');
  markdown.renderer.rules.text = (...given) => kept(text!(...given));
  markdown.renderer.rules.code_inline = (...given) => kept(code!(...given));
}

/** Cells are aligned by a class: a style within a page is outside of its policy. */
export function alignByClass(markdown: MarkdownRenderer): void {
  markdown.core.ruler.push('align-by-class', ({ tokens }) => {
    for (const token of tokens.filter(({ attrs }) => attrs !== null)) {
      const side = /^text-align:(\w+)$/.exec(token.attrGet('style') ?? '')?.[1];
      if (side !== undefined) token.attrs = [['class', `to-${side}`]];
    }
  });
}
