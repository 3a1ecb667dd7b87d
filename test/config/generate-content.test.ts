import { expect, test } from 'vitest';
import { generateContent } from '#config/generate-content.ts';
import { loadPlatformText } from '#config/load.ts';
import { renderProblems } from '#config/problem.ts';

test.each([
  ['bootstrap-dev', true],
  ['bootstrap-full', false],
] as const)('the file of %s loads', (profile, open) => {
  const loaded = loadPlatformText(generateContent(profile), 'p.yaml', { env: {}, cwd: '/w', cores: 2 });
  if ('problems' in loaded) throw new Error(renderProblems(loaded.problems));
  const { content } = loaded.platform;
  expect([content.defaultstoreaction, content.defaultappaction, content.contentsource.type]).toEqual([
    open,
    open,
    'meta',
  ]);
});
