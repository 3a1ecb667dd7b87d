/** From sound inputs to hostile ones, by a few random changes. */
import type { Random } from '#test/kit/random.ts';
import { byteChanges } from './change-bytes.ts';
import { derChanges } from './change-der.ts';
import { jsonChanges } from './change-json.ts';
import { textChanges } from './change-text.ts';
import type { Change } from './change.ts';
import type { Form, Target } from './target.ts';

const CHANGES: Readonly<Record<Form, readonly Change[]>> = {
  bytes: byteChanges,
  text: textChanges,
  json: jsonChanges,
  der: derChanges,
};

/** Changes that know the form, among them some that know only bytes. */
const OWN_FORM = 0.75;
const CHANGES_MAX = 5;
const NEWEST = 8;

export function mutated(random: Random, target: Target, corpus: readonly Buffer[]): Buffer {
  // What was kept last went deepest.
  let input = random.pick(random.chance(0.5) ? corpus.slice(-NEWEST) : corpus);
  const source = { random, other: random.pick(corpus), words: target.words };
  for (let left = 1 + random.below(CHANGES_MAX); left > 0; left--) {
    const changes = random.chance(OWN_FORM) ? CHANGES[target.form] : byteChanges;
    input = random.pick(changes)(input, source) ?? random.pick(byteChanges)(input, source) ?? input;
    // A copy: a kept input must not keep the much larger one that it was cut from.
    if (input.length > target.bytesMax) input = Buffer.from(input.subarray(0, target.bytesMax));
  }
  return input;
}
