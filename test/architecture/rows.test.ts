/** Every member of a row that is declared once is read by code: one that nothing reads says what need not be true. */
import { expect, test } from 'vitest';
import { projectFiles } from './project.ts';
import type { SourceFile } from './source.ts';

interface Row {
  readonly name: string;
  /** Where its members are declared. */
  readonly file: string;
  /** Files that have to do with such rows, and are no rows themselves. */
  readonly readers: RegExp;
  readonly rows: RegExp;
}

/** Members that are never set. */
const TYPES_ALONE: ReadonlySet<string> = new Set(['TopicRow.body', 'TopicRow.reply']);

const ROWS: readonly Row[] = [
  {
    name: 'TopicRow',
    file: 'actors/protocol/topic.ts',
    readers: /\bTopicRow\b|\bTOPICS\b/,
    rows: /^actors\/protocol\/(?:[a-z]+-topics|topic)\.ts$/,
  },
  {
    name: 'ChildRow',
    file: 'runtime/supervisor/children.ts',
    readers: /\bChildRow\b|\bCHILDREN\b|\bchildrenOf\b|\brow\b/,
    rows: /^$/,
  },
];

const COMMENT = /\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm;
const sources = projectFiles(/^(?:config|storage|actors|runtime)\/.*\.ts$/);

function membersOf({ name, file }: Row): string[] {
  const text = sources.find(({ path }) => path === file)!.text.replaceAll(COMMENT, '');
  const body = new RegExp(`interface ${name}\\b[^{]*\\{([\\s\\S]*?)\\n\\}`).exec(text)![1]!;
  return [...body.matchAll(/^ {2}readonly (\w+)\??:/gm)].map(([, member]) => member!);
}

/** Members that no reader takes out of a row: neither behind a point nor by a pattern that takes several. */
function unread(row: Row, members: readonly string[], files: readonly SourceFile[]): string[] {
  const readers = files
    .filter(({ path, text }) => !row.rows.test(path) && row.readers.test(text))
    .map(({ text }) => text.replaceAll(COMMENT, ' '));
  return members.filter((member) => {
    const among = String.raw`\{[^{}]*\b${member}\b[^{}]*\}`;
    const taken = new RegExp(
      String.raw`[\w)\]]\??\.${member}\b|(?:const|let) ${among} =|\((?:\w+, )*${among}(?::|, \w+\) =>|\) =>)`,
    );
    return !TYPES_ALONE.has(`${row.name}.${member}`) && !readers.some((text) => taken.test(text));
  });
}

test.each(ROWS)('every member of $name is read', (row) => {
  const members = membersOf(row);
  expect(members.length).toBeGreaterThan(2);
  expect(unread(row, members, sources)).toEqual([]);
});

test('a member that only rows and comments name is found', () => {
  const planted = {
    path: 'actors/x.ts',
    text: 'TOPICS; ChildRow; // row.colour\nconst shape = 1; topic({ weight: 2 }), { colour: 3 };',
  };
  for (const row of ROWS)
    expect(unread(row, [...membersOf(row), 'colour', 'weight'], [...sources, planted])).toEqual(['colour', 'weight']);
});
