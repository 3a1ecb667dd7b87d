/** Looking for a text in a text. */
import { burn } from '../pace/fuel.ts';

/** The search of JavaScript compares, at its worst, each place with the whole part, some five pairs of characters in a nanosecond. */
const PAIRS_PER_UNIT = 256;
/** Down to one place in sixteen characters. */
const PART_CHARS_MIN = 16;

/** Burns what looking for `part` everywhere in `text` may cost. */
export function paySearch(text: string, part: string): void {
  burn(1 + (text.length * Math.max(PART_CHARS_MIN, Math.min(part.length, text.length))) / PAIRS_PER_UNIT);
}
