/** A picture of figures as horizontal bars: plain SVG, readable on light and dark pages, no script, no font of its own. */

import { escaped } from '#bench/kit/svg.ts';

export interface Bar {
  readonly label: string;
  /** Zero or more; bars are drawn to the same scale. */
  readonly value: number;
  /** At the end of the bar. */
  readonly text: string;
  readonly kind: 'ours' | 'other';
}

const WIDTH = 720;
const LABEL = 210;
const TEXT = 150;
const ROW = 26;
const BAR = 16;
const TOP = 34;

/** Colours hold on both grounds; text takes the reader's scheme, and mid grey where a reader knows none. */
const STYLE = `text{font:13px system-ui,sans-serif;fill:#6b7280}.t{font-weight:600}.ours{fill:#d97706}.other{fill:#94a3b8}
@media(prefers-color-scheme:light){text{fill:#1f2937}}@media(prefers-color-scheme:dark){text{fill:#e5e7eb}}`;

/** The longest bar fills the width. */
export function barChart(title: string, bars: readonly Bar[]): string {
  const most = Math.max(...bars.map(({ value }) => value), Number.MIN_VALUE);
  const height = TOP + bars.length * ROW + 6;
  const rows = bars.map(({ label, value, text, kind }, i) => {
    const y = TOP + i * ROW;
    const length = Math.max(1, Math.round(((WIDTH - LABEL - TEXT) * value) / most));
    const middle = y + BAR / 2 + 5;
    return (
      `<text x="${LABEL - 10}" y="${middle}" text-anchor="end">${escaped(label)}</text>` +
      `<rect class="${kind}" x="${LABEL}" y="${y}" width="${length}" height="${BAR}" rx="2"/>` +
      `<text x="${LABEL + length + 8}" y="${middle}">${escaped(text)}</text>`
    );
  });
  const summary = bars.map(({ label, text }) => `${label} ${text}`).join(', ');
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img">`,
    `<title>${escaped(`${title}: ${summary}`)}</title>`,
    `<style>${STYLE}</style>`,
    `<text class="t" x="0" y="16">${escaped(title)}</text>`,
    ...rows,
    '</svg>\n',
  ].join('\n');
}
