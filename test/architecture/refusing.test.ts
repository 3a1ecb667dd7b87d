/** One way to refuse: a value where a caller is answered, and one class that carries it where it is met deeper (actors/README.md). */
import { expect, test } from 'vitest';
import { projectFiles } from './project.ts';
import { scan, type SourceFile } from './source.ts';

/** Fields of an error that would make it another carrier of refusals. */
const CARRIES = /\breadonly \w+\??:[^;=]*(?:\b(?:Refusal|Failure)\b)/;
const ERRORS = /\bclass (\w+) extends \w*(?:Error|Refused)\b[^{]*\{([\s\S]*?)\n\}/g;
/** What is not refused: a step's answer leaves the script that is done again, whatever it was. */
const NO_REFUSALS = ['actors/data/script/replay.ts: Answered'];

const carriers = ({ path, text }: SourceFile): string[] =>
  path === 'actors/kit/refused.ts'
    ? []
    : [...scan(text).code.matchAll(ERRORS)]
        .filter(([, , body]) => CARRIES.test(body!))
        .map(([, name]) => `${path}: ${name}`);

test('no other error carries a refusal', () => {
  expect(projectFiles(/^(?:actors|runtime)\/.*\.ts$/).flatMap(carriers)).toEqual(NO_REFUSALS);
});

test('caught: an error with a refusal or a failure of its own', () => {
  const caught = (text: string) => carriers({ path: 'actors/bff/a.ts', text });
  expect(caught('class Ended extends Error {\n  readonly refusal: Refusal<Code>;\n}\n')).toEqual([
    'actors/bff/a.ts: Ended',
  ]);
  expect(caught('export class Ended extends Refused {\n  readonly failure?: Failure | null;\n}\n')).toHaveLength(1);
  expect(caught('class Ended extends Error {\n  readonly status: number;\n}\nconst a: Refusal = b;\n')).toEqual([]);
});
