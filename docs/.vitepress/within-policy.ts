/**
 * What lets the site live under `Content-Security-Policy: default-src 'self'`: VitePress writes scripts and colours into its pages and icons into
 * its style sheet, and a browser would run and show none of them. Here they become files of the site.
 */
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { transformerStyleToClass } from '@shikijs/transformers';
import type { Plugin } from 'vitepress';

/** Colours of code, as classes. */
export const classesOfCode = transformerStyleToClass({ classPrefix: 'code-' });

/** Scripts that were cut out of pages, by their name. */
const scripts = new Map<string, string>();
const INLINE = /<script id="([\w-]+)">([^]*?)<\/script>/g;
/** The height of a menu that is closed: the theme sets it when it opens. */
const HEIGHT = / style="--vp-vh:0px;"/g;

/** A page whose scripts are files. They stay where they are in its head and block it, so that a dark page never flashes white. */
export function scriptsAsFiles(html: string): string {
  return html.replaceAll(HEIGHT, '').replaceAll(INLINE, (_script, id: string, text: string) => {
    scripts.set(`${id}.js`, text);
    return `<script src="/${id}.js"></script>`;
  });
}

/** Writes what was cut out of the pages. */
export function writeFilesOfPages(outDir: string): void {
  for (const [name, text] of scripts) writeFileSync(join(outDir, name), text);
  writeFileSync(join(outDir, 'code.css'), classesOfCode.getCSS());
}

const ICON = /url\("data:image\/svg\+xml([^"]*)"\)/g;

/** The icon of a `data:` URL. */
function iconOf(data: string): Buffer {
  const comma = data.indexOf(',');
  const body = data.slice(comma + 1);
  return data.slice(0, comma).includes('base64') ? Buffer.from(body, 'base64') : Buffer.from(decodeURIComponent(body));
}

/** Icons of the style sheet, as files. */
export const iconsAsFiles: Plugin = {
  name: 'icons-as-files',
  enforce: 'post',
  generateBundle(_options, bundle) {
    for (const file of Object.values(bundle)) {
      if (file.type !== 'asset' || !file.fileName.endsWith('.css')) continue;
      file.source = String(file.source).replaceAll(ICON, (_url, data: string) => {
        const source = iconOf(data);
        const fileName = `assets/icon-${createHash('sha256').update(source).digest('hex').slice(0, 12)}.svg`;
        this.emitFile({ type: 'asset', fileName, source });
        return `url(/${fileName})`;
      });
    }
  },
};
