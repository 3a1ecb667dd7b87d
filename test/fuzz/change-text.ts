/** Changes of text: its tokens, and the stretches that brackets and quotes hold. */
import type { Random } from '#test/kit/random.ts';
import { replaced } from './change-bytes.ts';
import type { Change } from './change.ts';

const TOKEN = /[\p{L}\p{N}_.]+|\s+|[^\p{L}\p{N}_\s]/gu;
const NUMBERS = [
  '0',
  '-1',
  '1e400',
  '-0',
  '1.5',
  '9007199254740993',
  '00',
  '0x10',
  '1e-400',
  '2147483648',
  '99999999999999999999',
];
const STRANGE = [
  '\0',
  '\ud800',
  '\u202e',
  '\ufeff',
  '\u2028',
  '\u00e4',
  '\u{1f41d}',
  '__proto__',
  'constructor',
  '%00',
  '%ff',
  '\\',
  '\r\n',
];
const NESTED_MAX = 1500;
const OPEN = '([{';
const CLOSE = ')]}';

const tokensOf = (text: string): string[] => text.match(TOKEN) ?? [];

/** A change of the tokens of the text; null where it has none. */
const ofTokens =
  (change: (tokens: string[], random: Random, words: readonly string[], other: readonly string[]) => void): Change =>
  (input, { random, words, other }) => {
    const tokens = tokensOf(input.toString());
    if (tokens.length === 0) return null;
    change(tokens, random, words, tokensOf(other.toString()));
    return Buffer.from(tokens.join(''));
  };

const swap = ofTokens((tokens, random, words) => {
  tokens[random.below(tokens.length)] = words.length === 0 ? random.pick(STRANGE) : random.pick(words);
});

const exchange = ofTokens((tokens, random) => {
  const [a, b] = [random.below(tokens.length), random.below(tokens.length)];
  [tokens[a], tokens[b]] = [tokens[b]!, tokens[a]!];
});

const drop = ofTokens((tokens, random) => void tokens.splice(random.below(tokens.length), 1 + random.below(3)));

const graft = ofTokens((tokens, random, _words, other) => {
  const from = random.below(other.length + 1);
  tokens.splice(random.below(tokens.length), random.below(4), ...other.slice(from, from + 1 + random.below(8)));
});

const number = ofTokens((tokens, random) => {
  const places = tokens.flatMap((token, at) => (/^\d/.test(token) ? [at] : []));
  tokens[places.length > 0 ? random.pick(places) : random.below(tokens.length)] = random.pick(NUMBERS);
});

const strange = ofTokens((tokens, random) => {
  tokens.splice(random.below(tokens.length + 1), random.below(2), random.pick(STRANGE));
});

/** Stretches from a bracket to the one that closes it, both included. */
function bracketsIn(text: string): { from: number; to: number }[] {
  const open: number[] = [];
  const found: { from: number; to: number }[] = [];
  for (let at = 0; at < text.length; at++) {
    if (OPEN.includes(text[at]!)) open.push(at);
    else if (CLOSE.includes(text[at]!) && open.length > 0) found.push({ from: open.pop()!, to: at + 1 });
  }
  return found;
}

const ofBrackets =
  (change: (piece: string, random: Random) => string): Change =>
  (input, { random }) => {
    const text = input.toString('latin1');
    const found = bracketsIn(text);
    if (found.length === 0) return null;
    const span = random.pick(found);
    return replaced(input, span, Buffer.from(change(text.slice(span.from, span.to), random), 'latin1'));
  };

const dropBrackets = ofBrackets((piece, random) => (random.chance(0.5) ? '' : piece[0]! + piece.at(-1)!));
const doubleBrackets = ofBrackets((piece) => piece + piece);
const nest = ofBrackets((piece, random) => {
  const times = 1 + random.below(random.chance(0.2) ? NESTED_MAX : 8);
  return piece[0]!.repeat(times) + piece + piece.at(-1)!.repeat(times);
});

/** A line that is gone, or there twice. */
const line: Change = (input, { random }) => {
  const lines = input.toString('latin1').split('\n');
  const at = random.below(lines.length);
  if (random.chance(0.5)) lines.splice(at, 1);
  else lines.splice(random.below(lines.length), 0, lines[at]!);
  return Buffer.from(lines.join('\n'), 'latin1');
};

export const textChanges: readonly Change[] = [
  swap,
  swap,
  exchange,
  drop,
  graft,
  graft,
  number,
  strange,
  dropBrackets,
  doubleBrackets,
  nest,
  line,
];
