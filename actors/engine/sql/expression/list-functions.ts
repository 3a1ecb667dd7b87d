/** Functions that make lists of texts; those that take lists of any type are in `special-functions.ts`. */
import { placesOf } from '#actors/kit/find-text.ts';
import { burn } from '#actors/kit/pace/fuel.ts';
import type { Value } from '../type.ts';
import { boundedList } from '../value/list.ts';
import { is, type Signature } from './signature.ts';

/** The pieces of a text between separators: its characters for none, the whole text for an empty one. */
export function divided(text: Value, separator: Value): string[] {
  const [given, between] = [text as string, separator as string];
  if (given === '') return [];
  if (between === '') return [given];
  const pieces: string[] = [];
  let begin = 0;
  for (const place of placesOf(given, between)) {
    pieces.push(given.slice(begin, place));
    begin = place + between.length;
  }
  burn(pieces.length);
  pieces.push(given.slice(begin));
  return pieces;
}

export const LIST_FUNCTIONS: Readonly<Record<string, readonly Signature[]>> = {
  string_to_array: [
    is(['text', 'text'], 'text[]', (text, separator) => boundedList(divided(text, separator))),
    is(['text', 'text', 'text'], 'text[]', (text, separator, none) =>
      boundedList(divided(text, separator).map((one) => (one === none ? null : one))),
    ),
  ],
};
