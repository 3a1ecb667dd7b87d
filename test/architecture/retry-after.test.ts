/** `Retry-After` is written by actors/protocol/retry-after.ts alone, so that a refusal says the same wait wherever it is made. */
import { expect, test } from 'vitest';
import { projectFiles } from './project.ts';
import type { SourceFile } from './source.ts';

const WRITER = 'actors/protocol/retry-after.ts';

/** As a whole string: a sentence and a list of names may say the word, and readers take it in lower case. */
const writes = ({ path, text }: SourceFile): boolean =>
  path !== WRITER && /['"]Retry-After['"]|`Retry-After:/.test(text);

test('one file writes the header', () => {
  expect(
    projectFiles(/^(?:actors|runtime)\/.*\.ts$/)
      .filter(writes)
      .map(({ path }) => path),
  ).toEqual([]);
});

test('caught: a header that is written by hand', () => {
  const caught = (text: string, path = 'actors/content/a.ts') => writes({ path, text });
  expect(caught("refuse('content.unavailable', { headers: { 'Retry-After': String(seconds) } });")).toBe(true);
  expect(caught('headers["Retry-After"] = wait;')).toBe(true);
  expect(caught('lines += `Retry-After: ${wait}\\n`;')).toBe(true);
  expect(caught('/** 503 with `Retry-After`. */\nconst wait = headers.get("retry-after");')).toBe(false);
  expect(caught("export const RETRY_AFTER = 'Retry-After';", WRITER)).toBe(false);
});
