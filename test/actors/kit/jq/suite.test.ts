/**
 * jq's own tests (suite/, version 1.8.2, its licence beside them): what the fast tier answers jq answers, too, and what is no program
 * to jq the fast tier does not take.
 */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Json } from '#actors/kit/jq/value.ts';
import { compiles, fast, reference } from './two-tiers.ts';

const FILES = ['jq', 'base64', 'uri', 'onig', 'manonig', 'optional'];

interface Case {
  readonly where: string;
  readonly program: string;
  /** Null for what does not compile. */
  readonly input: string | null;
}

/** Blocks of lines with an empty one between them: program, input, results; or `%%FAIL`, program, message. */
function casesOf(file: string): Case[] {
  const lines = readFileSync(new URL(`suite/${file}.test`, import.meta.url), 'utf8').split('\n');
  const cases: Case[] = [];
  for (let at = 0; at < lines.length; at++) {
    const block: string[] = [];
    const where = `${file}.test:${at + 1}`;
    for (; at < lines.length && lines[at]!.trim() !== ''; at++) if (!/^\s*#/.test(lines[at]!)) block.push(lines[at]!);
    const [first, second] = block;
    if (first === undefined) continue;
    if (first.startsWith('%%FAIL')) cases.push({ where, program: second!, input: null });
    else if (second !== undefined) cases.push({ where, program: first, input: second });
  }
  return cases;
}

const CASES = FILES.flatMap(casesOf);

function inputOf(text: string): Json | undefined {
  try {
    return JSON.parse(text.replace(/^\ufeff/, '')) as Json;
  } catch {
    return undefined; // nan and other texts that are only jq's
  }
}

test('the suite is whole', () => {
  expect(CASES.length).toBeGreaterThan(500);
  expect(CASES.filter(({ input }) => input === null).length).toBeGreaterThan(15);
});

test('what jq does not compile the fast tier does not take', () => {
  const taken = CASES.filter(({ input, program }) => input === null && compiles(program));
  expect(taken.map(({ where, program }) => `${where} ${program}`)).toEqual([]);
});

test('both tiers answer alike', { timeout: 120_000 }, async () => {
  let certain = 0;
  for (const { where, program, input } of CASES) {
    const given = input === null ? undefined : inputOf(input);
    const mine = given === undefined ? null : fast(program, given);
    if (mine === null) continue;
    certain++;
    expect(mine, `${where} ${program}`).toEqual(await reference(program, given!));
  }
  expect(certain).toBeGreaterThan(CASES.length / 2);
});
