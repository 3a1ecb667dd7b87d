import { expect, test } from 'vitest';
import { cliPage } from '#runtime/describe/cli-page.ts';
import { skep } from '#test/runtime/cli/recorder.ts';

const page = await cliPage();

test.each(['tenant provision', 'audit verify', 'vault get', 'intake export', 'agent run', 'service install'])(
  'skep %s is there, also of a group that is filled only when it is named, with every option of its help',
  async (verb) => {
    const part = page.split(`\n## skep ${verb}\n`)[1]!.split('\n## ')[0]!;
    const { out } = await skep(`${verb} --help`);
    const flags = [...out.matchAll(/^ {2}(?:-\w, )?(--[\w-]+)/gm)].map(([, flag]) => flag!);
    for (const flag of flags.filter((flag) => flag !== '--help')) expect(part).toContain(flag);
    expect(flags.length).toBeGreaterThan(1);
  },
);

test('examples stand below a verb', () => {
  expect(page.split('\n## skep tenant provision\n')[1]).toMatch(
    /^[^#]*Example:\n {2}skep tenant provision -f platform\.yaml/,
  );
});

test('verbs that are linked have a heading', () => {
  const links = [...page.matchAll(/\]\(#([\w-]+)\)/g)].map(([, anchor]) => anchor!);
  const headings = new Set([...page.matchAll(/^## (.+)$/gm)].map(([, path]) => path!.replaceAll(' ', '-')));
  expect(links.filter((anchor) => !headings.has(anchor))).toEqual([]);
});
