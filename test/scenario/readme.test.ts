/**
 * The README's tour, as printed: its blocks marked `start` and `tour` run in their order in one bash, in a folder that holds
 * nothing but links to the project. One rule changes them: the default ports become free ones. Below a tour block, the lines
 * of a `text` block must be the lines of its output; `…` stands for anything within a line.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '#test/kit/demo-process.ts';
import { openShell, tourFolder } from '#test/kit/tour.ts';
import type { Shell } from '#test/kit/tour.ts';

interface Block {
  readonly kind: 'start' | 'tour';
  readonly text: string;
  /** Lines of output; null when none are promised. */
  readonly expected: readonly string[] | null;
}

const FENCE = /```sh (start|tour)\n([\s\S]*?)```\n(?:```text\n([\s\S]*?)```)?/g;

function blocksOf(page: string): Block[] {
  return [...page.matchAll(FENCE)].map(([, kind, text, output]) => ({
    kind: kind as Block['kind'],
    text: text!,
    expected: output === undefined ? null : lines(output),
  }));
}

const lines = (text: string): string[] => text.split('\n').filter((line) => line !== '');

function matches(line: string, pattern: string): boolean {
  const parts = pattern.split('…').map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`));
  return new RegExp(`^${parts.join('.*')}$`).test(line);
}

async function runTour(shell: Shell, block: Block, base: number): Promise<void> {
  const text = block.text
    .replaceAll('127.0.0.1:8080', `127.0.0.1:${base}`)
    .replaceAll('127.0.0.1:9098', `127.0.0.1:${base + 1}`);
  const { code, output } = await shell.run(text);
  expect(code, `${block.text}\n${output}`).toBe(0);
  if (block.expected === null) return;
  const printed = lines(output);
  expect(printed.length, `${block.text}\n${output}`).toBe(block.expected.length);
  block.expected.forEach((pattern, at) => {
    if (!matches(printed[at]!, pattern)) expect(printed[at], block.text).toBe(pattern);
  });
}

test('every command of the README works as printed', { timeout: 120_000 }, async () => {
  const blocks = blocksOf(readFileSync(join(root, 'README.md'), 'utf8'));
  expect(blocks.filter(({ kind }) => kind === 'start').length).toBe(2);
  expect(blocks.filter(({ kind }) => kind === 'tour').length).toBeGreaterThan(10);
  const folder = await tourFolder();
  const shell = openShell(folder.path);
  for (const block of blocks) {
    if (block.kind === 'start') await folder.start(block.text);
    else await runTour(shell, block, folder.portBase);
  }
});

test('a line that differs is found', () => {
  expect(matches('{"id":"01","n":2}', '{"id":"…","n":2}')).toBe(true);
  expect(matches('{"id":"01","n":3}', '{"id":"…","n":2}')).toBe(false);
  expect(matches('ready:trueX', 'ready:true')).toBe(false);
});
