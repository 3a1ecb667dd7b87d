/**
 * The README's tour, as printed, and its front end in ten lines (`desk`). Blocks marked `start` and `tour` run in their order in one bash, in a folder that holds
 * nothing but links to the project. One rule changes them: the default ports become free ones. Below a tour block, the lines
 * of a `text` block must be the lines of its output; `…` stands for anything within a line.
 */
import { readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { root } from '#test/kit/demo-process.ts';
import { difference, linesOf } from '#test/kit/page-commands.ts';
import { runCommands } from '#test/kit/page-run.ts';
import { openShell, tourBlocks, tourFolder, tourTurn, type Shell, type TourBlock } from '#test/kit/tour.ts';

async function runTour(shell: Shell, block: TourBlock, base: number): Promise<void> {
  const text = block.text
    .replaceAll('127.0.0.1:8080', `127.0.0.1:${base}`)
    .replaceAll('127.0.0.1:9098', `127.0.0.1:${base + 1}`);
  const { code, output } = await shell.run(text);
  expect(code, `${block.text}\n${output}`).toBe(0);
  if (block.expected === null) return;
  expect(difference(linesOf(output), block.expected), `${block.text}\n${output}`).toBe(null);
}

test('every command of the README works as printed', { timeout: 900_000 }, async () => {
  const blocks = tourBlocks(readFileSync(join(root, 'README.md'), 'utf8'));
  expect(blocks.filter(({ kind }) => kind === 'start').length).toBe(2);
  expect(blocks.filter(({ kind }) => kind === 'tour').length).toBeGreaterThan(10);
  onTestFinished(await tourTurn());
  const folder = await tourFolder();
  const shell = openShell(folder.path);
  for (const block of blocks) {
    if (block.kind === 'start') await folder.start(block.text);
    else await runTour(shell, block, folder.portBase);
  }
});

const DESK = /```sh desk( serve)?\n([^]*?)```\n(?:```text\n([^]*?)```)?/g;

test('the live front end takes ten lines, and they work as printed', { timeout: 180_000 }, async () => {
  const page = readFileSync(join(root, 'README.md'), 'utf8');
  const blocks = [...page.matchAll(DESK)].map(([, serve, text, output]) => ({
    how: serve === undefined ? ('run' as const) : ('serve' as const),
    text: text!,
    expected: output === undefined ? null : linesOf(output),
  }));
  expect(blocks.flatMap(({ text }) => linesOf(text)).length).toBe(10);
  await runCommands(blocks, (folder) => {
    for (const name of ['package.json', 'runtime', 'node_modules']) symlinkSync(join(root, name), join(folder, name));
  });
});
