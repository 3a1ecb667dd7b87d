/** What docs/how-to/several-doors.md says of the README's tour with three nodes: what is run ahead of it, beside it and in place of its blocks, and what differs in the others. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '#test/kit/demo-process.ts';
import { linesOf } from '#test/kit/page-commands.ts';
import { tourBlocks, type TourBlock } from '#test/kit/tour.ts';

const page = readFileSync(join(root, 'docs/how-to/several-doors.md'), 'utf8');

type Said = Pick<TourBlock, 'text' | 'expected'>;

/** The block whose mark begins with these words; null where there is none. */
function found(mark: string): Said | null {
  const fence = new RegExp(`\`\`\`sh untested: ${mark}[,:;][^\\n]*\\n([^]*?)\`\`\`\\n(?:\`\`\`text\\n([^]*?)\`\`\`)?`);
  const [, text, output] = fence.exec(page) ?? [];
  return text === undefined ? null : { text, expected: output === undefined ? null : linesOf(output) };
}

/** The text of such a block. Throws where the page has none. */
export function block(mark: string): string {
  const { text } = found(mark) ?? {};
  if (text === undefined) throw new Error(`docs/how-to/several-doors.md has no block "${mark}"`);
  return text;
}

/** The block that makes certificates of links. */
export const certificates = /```sh untested: it writes keys[^\n]*\n([^]*?)```/.exec(page)![1]!;

/** The platform file for the verbs of the cluster. */
export const clusterFile = /`cluster\.yaml`[^]*?```yaml\n([^]*?)```/.exec(page)![1]!;

const differing = [...page.matchAll(/^\| `([^`]+)` \| `([^`]+)` \|$/gm)].map(
  ([, there, here]) => [there!, here!] as const,
);

const changed = (text: string): string => differing.reduce((all, [there, here]) => all.replaceAll(there, here), text);

/** The README's tour as it is with three nodes. */
export function tourOfThree(): TourBlock[] {
  const readme = readFileSync(join(root, 'README.md'), 'utf8');
  return tourBlocks(readme).map((one) => {
    const instead = one.kind === 'tour' ? found(`in place of ${one.title}`) : null;
    const { text, expected } = instead ?? one;
    return { ...one, text: changed(text), expected: expected?.map(changed) ?? null };
  });
}
