/** Changes of bytes that know nothing of what they mean. */
import type { Random } from '#test/kit/random.ts';
import type { Change } from './change.ts';

const BYTES = [0, 1, 0x20, 0x22, 0x2c, 0x3a, 0x3b, 0x3d, 0x7f, 0x80, 0xbf, 0xc0, 0xe2, 0xf0, 0xfe, 0xff];
const NUMBERS = [0, 1, 0x7f, 0x80, 0xff, 0x100, 0x7fff, 0x8000, 0xffff, 0x10000, 0x7fffffff, 0x80000000, 0xffffffff];
const REPEATED_BYTES_MAX = 65_536;

interface Span {
  readonly from: number;
  readonly to: number;
}

/** A stretch, short ones more often than long ones. */
function spanIn(random: Random, { length }: Buffer): Span {
  const most = random.chance(0.7) ? Math.min(length, 16) : length;
  const from = random.below(length);
  return { from, to: Math.min(length, from + 1 + random.below(most)) };
}

/** The input with other bytes in place of a stretch. */
export const replaced = (input: Buffer, { from, to }: Span, bytes: Uint8Array): Buffer =>
  Buffer.concat([input.subarray(0, from), bytes, input.subarray(to)]);

const filled =
  (change: Change): Change =>
  (input, source) =>
    input.length === 0 ? null : change(input, source);

const flip: Change = (input, { random }) => {
  const out = Buffer.from(input);
  const at = random.below(out.length);
  out[at] = out[at]! ^ (1 << random.below(8));
  return out;
};

const set: Change = (input, { random }) => {
  const out = Buffer.from(input);
  out[random.below(out.length)] = random.chance(0.5) ? random.pick(BYTES) : random.below(256);
  return out;
};

const cut: Change = (input, { random }) => replaced(input, spanIn(random, input), Buffer.alloc(0));

const end: Change = (input, { random }) => input.subarray(0, random.below(input.length));

const double: Change = (input, { random }) => {
  const span = spanIn(random, input);
  const piece = input.subarray(span.from, span.to);
  return replaced(input, { from: span.to, to: span.to }, piece);
};

/** A stretch many times: what is quadratic or nests shows it. */
const repeat: Change = (input, { random }) => {
  const span = spanIn(random, input);
  const piece = input.subarray(span.from, span.to);
  const times = Math.min(1 << random.below(13), Math.ceil(REPEATED_BYTES_MAX / piece.length));
  return replaced(input, span, Buffer.concat(Array.from({ length: times }, () => piece)));
};

const move: Change = (input, { random }) => {
  const span = spanIn(random, input);
  const piece = Buffer.from(input.subarray(span.from, span.to));
  const rest = replaced(input, span, Buffer.alloc(0));
  const at = random.below(rest.length + 1);
  return replaced(rest, { from: at, to: at }, piece);
};

const number: Change = (input, { random }) => {
  const width = random.pick([1, 2, 4]);
  if (input.length < width) return null;
  const out = Buffer.from(input);
  const value = random.pick(NUMBERS) % 256 ** width;
  const at = random.below(out.length - width + 1);
  if (random.chance(0.5)) out.writeUIntLE(value, at, width);
  else out.writeUIntBE(value, at, width);
  return out;
};

/** The beginning of one input with the end of another. */
const splice: Change = (input, { random, other }) =>
  Buffer.concat([input.subarray(0, random.below(input.length + 1)), other.subarray(random.below(other.length + 1))]);

const insertWord: Change = (input, { random, words }) => {
  if (words.length === 0) return null;
  const at = random.below(input.length + 1);
  return replaced(input, { from: at, to: at }, Buffer.from(random.pick(words)));
};

const overwriteWord: Change = (input, { random, words }) => {
  if (words.length === 0) return null;
  const word = Buffer.from(random.pick(words));
  const from = random.below(input.length + 1);
  return replaced(input, { from, to: Math.min(input.length, from + word.length) }, word);
};

export const byteChanges: readonly Change[] = [
  ...[flip, set, cut, end, double, repeat, move, number].map(filled),
  splice,
  insertWord,
  overwriteWord,
];
