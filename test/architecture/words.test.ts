import { expect, test } from 'vitest';
import { projectFiles } from './project.ts';
import { checkWords, countWords } from './words.ts';

/** How often each room may still say he, his, him, himself, whoever or nobody. A number only falls; new rooms have none. */
const ALLOWED: Readonly<Record<string, number>> = {
  'bench/duel': 1,
};

/** Files that must write the words to speak about them. */
const ABOUT_WORDS = /^test\/architecture\/words/;
const files = projectFiles(
  /^(?:config|storage|actors|runtime|bench|test|docs|client|console)\/.*\.(?:ts|md)$|^[\w-]+\.md$/,
);

test('no room says more of the words that hide a subject than it did', () => {
  expect(checkWords(countWords(files.filter(({ path }) => !ABOUT_WORDS.test(path))), ALLOWED)).toEqual([]);
});

const count = (path: string, text: string) => [...countWords([{ path, text }])];

test('counted: each of the words, in comments, texts and documents, by room', () => {
  expect(count('actors/kit/jq/a.ts', '// He sends his own; give it to HIM, or himself.')).toEqual([['actors/kit', 4]]);
  expect(count('storage/a.ts', "const a = 'whoever asks, nobody answers';")).toEqual([['storage', 2]]);
  expect(count('README.md', 'nobody')).toEqual([['README.md', 1]]);
  expect(count('docs/contract/data.md', 'the history of this chime, who ever it is')).toEqual([]);
});

test('caught: a room that says more than its row allows, one without a row, and a row that is not needed', () => {
  const counts = new Map([
    ['actors/a', 2],
    ['actors/b', 1],
  ]);
  expect(checkWords(counts, { 'actors/a': 2, 'actors/b': 1 })).toEqual([]);
  expect(checkWords(counts, { 'actors/a': 1 })).toHaveLength(2);
  expect(checkWords(counts, { 'actors/a': 3, 'actors/b': 1, 'actors/c': 1 })).toEqual([
    'actors/c: has none any more, so its row goes',
  ]);
});
