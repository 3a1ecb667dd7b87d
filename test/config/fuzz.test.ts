import { readFileSync } from 'node:fs';
import { fc } from '#test/kit/property.ts';
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { generateIntake } from '#config/generate-intake.ts';
import { generateBootstrapDev } from '#config/generate.ts';
import { readEntities } from '#config/definitions/entity.ts';
import { loadPlatformText } from '#config/load.ts';
import { renderProblems } from '#config/problem.ts';
import { redacted } from '#config/redact.ts';
import { parseYaml } from '#config/yaml-file.ts';
import { parsePosition } from '#actors/protocol/position.ts';

const FILES = [generateBootstrapDev(), generateIntake(), readFileSync('config/samples/demo/demo.yaml', 'utf8')];
const CITY = readFileSync('config/samples/demo/atlas/entities/city.yaml', 'utf8');
const SPLICES = [
  '&a ',
  '*a',
  '[',
  ']',
  '{',
  '}',
  ': ',
  '- ',
  '\n',
  '\t',
  '"',
  "'",
  '|',
  '>',
  '?',
  '!!binary ',
  '${X}',
  '${',
  '0',
  '-1',
  '1e999',
  '.nan',
  'null',
  '__proto__: ',
  '<<: ',
  '%',
  '---\n',
  '\u0000',
  '😀',
];

/** A text with up to six cuts and splices. */
function mutated(sources: readonly string[]): fc.Arbitrary<string> {
  const edit = fc.tuple(fc.nat(4000), fc.nat(12), fc.constantFrom(...SPLICES));
  return fc
    .tuple(fc.constantFrom(...sources), fc.array(edit, { minLength: 1, maxLength: 6 }))
    .map(([source, edits]) => {
      let text = source;
      for (const [at, cut, splice] of edits) {
        const start = at % (text.length + 1);
        text = text.slice(0, start) + splice + text.slice(start + cut);
      }
      return text;
    });
}

const env = { X: 'x' };

function judge(text: string, service?: 'intake'): void {
  const loaded = loadPlatformText(text, 'p.yaml', service === undefined ? { env } : { env, service });
  if ('problems' in loaded) {
    expect(loaded.problems.length).toBeGreaterThan(0);
    for (const problem of loaded.problems) {
      expect(problem.message).not.toBe('');
      expect(problem.mend).not.toBe('');
    }
    expect(renderProblems(loaded.problems)).not.toBe('');
  } else expect(Object.keys(redacted(loaded.platform))).toContain('gateway');
}

test('a mutated file gives a platform or problems, and never throws', () => {
  fc.assert(fc.property(mutated(FILES), fc.constantFrom(undefined, 'intake' as const), judge), { numRuns: 400 });
});

test('any value in any place gives a platform or problems, and never throws', () => {
  const keys = ['hives', 'tenant', 'gateway', 'bind', 'listeners', 'rates', 'intake', 'http', 'storage', 'vault'];
  const tree = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      fc.string(),
      fc.integer(),
      fc.double(),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(fc.oneof(fc.constantFrom(...keys), fc.string()), tie('value'), { maxKeys: 4 }),
    ),
  })).value;
  fc.assert(
    fc.property(tree, (value) => judge(stringify(value))),
    { numRuns: 300 },
  );
});

test('a mutated entity document gives entities or problems, and never throws', () => {
  const judgeEntities = (text: string): void => {
    const yaml = parseYaml(text, 'e.yaml');
    const { entities, problems } = readEntities(yaml.tree);
    for (const problem of [...problems, ...yaml.problems]) expect([problem.message, problem.mend]).not.toContain('');
    if (problems.length === 0) expect(entities.length).toBe(Object.keys(yaml.tree.get(['entities']) as object).length);
    for (const entity of entities) expect(Object.keys(entity.fields)[0]).toBe('id');
  };
  fc.assert(fc.property(mutated([CITY]), judgeEntities), { numRuns: 300 });
});

test('tenant keys are those that make a position', () => {
  const segment = fc.stringMatching(/^[a-z0-9A-Z_:-]{0,5}$/);
  const key = fc.array(segment, { minLength: 3, maxLength: 5 }).map((parts) => parts.join(':'));
  const agrees = (text: string): void => {
    const file = stringify({ hives: { tenant: [{ key: text, meta: { localdir: 'x' } }] } });
    expect('platform' in loadPlatformText(file, 'p.yaml', { env })).toBe(parsePosition(text) !== null);
  };
  fc.assert(fc.property(key, agrees), { numRuns: 300 });
  for (const text of ['a:b:c:d', `${'a'.repeat(63)}:b:c:d`, `${'a'.repeat(64)}:b:c:d`, 'a:b:c:d:', '-a:b:c:d'])
    agrees(text);
});
