/**
 * The commands of a page of the documentation: its blocks of `sh`, and below each the `text` that it prints. The word behind `sh` says how a
 * block is run; a block that cannot be run says why. Pure; `page-run.ts` runs them.
 */

export interface Block {
  /** `serve`: in a first terminal, until the page serves again or ends. `stopped`: while the node is stopped. */
  readonly how: 'run' | 'serve' | 'stopped';
  readonly text: string;
  /** Lines of output, where `…` stands for anything within a line, and alone on its line for any lines; null when none are promised. */
  readonly expected: readonly string[] | null;
}

const FENCE = /^```(.*)\n([^]*?)^```$\n?(?:^```text\n([^]*?)^```$)?/gm;
const RUNS: Readonly<Record<string, Block['how']>> = { sh: 'run', 'sh serve': 'serve', 'sh stopped': 'stopped' };
const SHELLS = /^(?:sh|bash|shell|console|zsh)\b/;
const UNTESTED = /^sh untested: \S.{9,}$/;

/** The blocks that are run, in their order. */
export function blocksOf(page: string): Block[] {
  return [...page.matchAll(FENCE)].flatMap(([, info, text, output]) => {
    const how = RUNS[info!];
    return how === undefined ? [] : [{ how, text: text!, expected: output === undefined ? null : linesOf(output) }];
  });
}

const CONTINUES = /^<!-- continues: ([\w./-]+) -->$/m;

/** The page whose commands come before the first of this one, relative to it. */
export function before(page: string): string | null {
  return CONTINUES.exec(page)?.[1] ?? null;
}

/** Blocks that are neither run nor say why not, and blocks that do not say what they hold. */
export function unmarked(page: string): string[] {
  return [...page.matchAll(FENCE)].flatMap(([, info, text]) => {
    const [line = ''] = text!.split('\n');
    if (info === '') return [`a block says no language: ${line}`];
    if (!SHELLS.test(info!) || RUNS[info!] !== undefined || UNTESTED.test(info!)) return [];
    return [`"${info}" is neither run nor gives a reason (sh untested: <reason>): ${line}`];
  });
}

/** Lines that hold something. */
export function linesOf(text: string): string[] {
  return text.split('\n').filter((line) => line !== '');
}

/** The first promised line that was not printed at its place, beside what was; null when all agree. */
export function difference(printed: readonly string[], expected: readonly string[]): string | null {
  let at = 0;
  for (const [no, pattern] of expected.entries()) {
    if (pattern === '…') {
      const next = expected[no + 1];
      const skipped = next === undefined ? -1 : printed.slice(at).findIndex((line) => matches(line, next));
      at = skipped < 0 ? printed.length : at + skipped;
    } else if (at < printed.length && matches(printed[at]!, pattern)) at++;
    else return `promised: ${pattern}\nprinted:  ${printed[at] ?? 'nothing more'}`;
  }
  return at === printed.length ? null : `printed besides: ${printed[at]}`;
}

function matches(line: string, pattern: string): boolean {
  const parts = pattern.split('…').map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`));
  return new RegExp(`^${parts.join('.*')}$`).test(line);
}
