/** The generated OpenAPI documents pass Redocly's linter. */
import { readFileSync, readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { lintOpenApi } from '#test/kit/redocly.ts';

const docs = new URL('../../../docs/', import.meta.url);
const documents = readdirSync(docs).filter((name) => /^openapi.*\.json$/.test(name));

test('there are documents', () => expect(documents).toContain('openapi.json'));

test.each(documents)('%s has no fault', { timeout: 120_000 }, async (name) => {
  const problems = await lintOpenApi(readFileSync(new URL(name, docs), 'utf8'));
  expect(problems.filter(({ severity }) => severity === 'error').map(({ message }) => message)).toEqual([]);
});

test('a planted fault is found', { timeout: 120_000 }, async () => {
  const document = JSON.parse(readFileSync(new URL('openapi.json', docs), 'utf8')) as { paths: Record<string, object> };
  document.paths['/data/x/'] = document.paths['/data/ready']!;
  const problems = await lintOpenApi(JSON.stringify(document));
  expect(problems.filter(({ severity }) => severity === 'error').map(({ ruleId }) => ruleId)).toContain(
    'no-path-trailing-slash',
  );
});
