/** JSON that is made as text is made by the functions that actors/protocol/README.md lists, and replies by those of route.ts alone. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { projectFiles, ROOT } from './project.ts';

const readme = readFileSync(join(ROOT, 'actors/protocol/README.md'), 'utf8');
const listed = [...readme.matchAll(/^\| `(actors\/[^`]+\.ts)` \|/gm)].map(([, path]) => path!);
const product = projectFiles(/^(actors|runtime)\/.*\.ts$/);

const marks = (text: string): boolean => /\b(?:renderedAs|renderedInPieces)\b/.test(text);
const makesReply = (text: string): boolean => /kind: 'reply'/.test(text) || /\bas Reply</.test(text);

test('the list names files', () => expect(listed.length).toBeGreaterThan(5));

test('a text is said to render a body in the listed files alone', () => {
  const found = product.filter(({ path, text }) => path !== 'actors/protocol/body.ts' && marks(text));
  expect(found.map(({ path }) => path).toSorted()).toEqual(listed.toSorted());
});

test('replies are made in route.ts alone', () => {
  const found = product.filter(({ text }) => makesReply(text)).map(({ path }) => path);
  expect(found).toEqual(['actors/protocol/route.ts']);
});

test('a planted text and a planted reply are found', () => {
  expect(marks("replyJson(200, renderedAs('{}'))")).toBe(true);
  expect(makesReply("return { kind: 'reply', status: 200 };")).toBe(true);
});
