/** Every member of an interface of the runtime is read by code of the product: one that nothing reads is filled, typed and explained for nothing. */
import { expect, test } from 'vitest';
import { projectFiles } from './project.ts';
import type { SourceFile } from './source.ts';

/** Members that are read without being named, or by others than the product. */
const READ_ELSEWHERE: Readonly<Record<string, string>> = {
  'BackupReport.removed_parts': 'skep backup now prints its report whole',
  'BackupReport.removed_sets': 'skep backup now prints its report whole',
  'BootstrapRow.schema_steps': 'skep data bootstrap prints rows whole',
  'DevFile.operator_login': 'people log in to the console by it; readSecrets takes it apart',
  'DevFile.operator_password': 'likewise',
  'Instruction.k': 'the kernel takes instructions whole',
  'Node.drill': 'tests and operators of an embedded node use it',
  'Renewed.renewed_again_at': 'skep tls renew prints it',
  'RunningNode.addresses': 'programs that embed a node read it',
};

const COMMENT = /\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm;
const INTERFACE = /interface (\w+)[^{]*\{([\s\S]*?)\n\}/g;
const MEMBER = /^ {2}(?:readonly )?(\w+)\??[:(<]/gm;
const BEHIND_A_POINT = /(?<=[\w)\]!}>]\s*\??)\.(\w+)\b/g;
/** `const { a, b: c } = x`, `for (const { a } of x)`, `({ a }: Type)`, `({ a }) =>`, `({ a }, b)`. */
const TAKEN_APART = /\{([^{}()]*(?:\{[^{}]*\}[^{}()]*)*)\}\s*(?:=|:\s*[A-Z\w]|of\b|,\s*\w+\)|\)\s*=>)/g;

const all = projectFiles(/^(?:config|storage|actors|runtime)\/.*\.ts$/);

function namesRead(files: readonly SourceFile[]): ReadonlySet<string> {
  const names = new Set<string>();
  for (const { text } of files) {
    const code = text.replaceAll(COMMENT, ' ');
    for (const [, name] of code.matchAll(BEHIND_A_POINT)) names.add(name!);
    for (const [, pattern] of code.matchAll(TAKEN_APART))
      for (const [name] of pattern!.matchAll(/\w+/g)) names.add(name);
  }
  return names;
}

/** `Interface.member` of all that no file reads by its name. */
function unread(declaring: readonly SourceFile[], files: readonly SourceFile[]): string[] {
  const names = namesRead(files);
  return declaring.flatMap(({ text }) =>
    [...text.replaceAll(COMMENT, ' ').matchAll(INTERFACE)].flatMap(([, of, body]) =>
      [...body!.matchAll(MEMBER)].flatMap(([, member]) => (names.has(member!) ? [] : [`${of}.${member}`])),
    ),
  );
}

test('every member of an interface of the runtime is read', () => {
  const declaring = all.filter(({ path }) => path.startsWith('runtime/'));
  expect(unread(declaring, all).toSorted()).toEqual(Object.keys(READ_ELSEWHERE).toSorted());
});

test('a member that is only declared, filled and explained is found; one that is read in any way is not', () => {
  const path = 'runtime/x.ts';
  const text = `
/** row.colourOfDoor */
export interface Chair {
  readonly colourOfDoor: string;
  readonly legsOfChair: number;
  readonly seatOfChair?: string;
  backOfChair(): void;
  armsOfChair<T>(of: T): void;
}
const chair = { colourOfDoor: 'red', legsOfChair: 4 };
const { legsOfChair, seatOfChair: seat } = chair;
chair?.backOfChair();
`;
  expect(unread([{ path, text }], [...all, { path, text }])).toEqual(['Chair.colourOfDoor', 'Chair.armsOfChair']);
});
