/** SQL's LIKE: `%` stands for any text, `_` for one character, a backslash escapes the character after it. */
import { indexOfPaid } from '#actors/kit/find-text.ts';
import { burn } from '#actors/kit/pace/fuel.ts';

/** Characters compared for one unit of fuel. */
const CHARS_PER_UNIT = 4;

type Piece = { readonly text: string } | '%' | '_';

/** Tests texts against a pattern. `fold` ignores case. Burns fuel for the characters compared: linear in the text unless the pattern holds a `_`. */
export function likeOf(pattern: string, fold: boolean): (text: string) => boolean {
  const pieces = piecesOf(pattern).map((piece) =>
    fold && typeof piece !== 'string' ? { text: folded(piece.text) } : piece,
  );
  const like = pieces.includes('_') ? steppedOf(pieces) : partsOf(pieces);
  return fold ? (text) => like(folded(text)) : like;
}

/** The prefix of every text that matches the pattern; '' when the pattern does not fix one. */
export function prefixOf(pattern: string): string {
  let end = 0;
  while (end < pattern.length && pattern[end] !== '%' && pattern[end] !== '_') end += pattern[end] === '\\' ? 2 : 1;
  const first = piecesOf(pattern.slice(0, end))[0];
  return first === undefined || typeof first === 'string' ? '' : first.text;
}

function piecesOf(pattern: string): Piece[] {
  burn(pattern.length / CHARS_PER_UNIT);
  const pieces: Piece[] = [];
  let text = '';
  const flush = (): void => {
    if (text !== '') pieces.push({ text });
    text = '';
  };
  for (let i = 0; i < pattern.length; i++) {
    const char = pattern[i]!;
    if (char === '\\' && i + 1 < pattern.length) text += pattern[++i]!;
    else if (char === '%' || char === '_') {
      flush();
      if (char === '_' || pieces.at(-1) !== '%') pieces.push(char);
    } else text += char;
  }
  flush();
  return pieces;
}

/** A pattern without `_`: compares the beginning and the end, then finds each piece between them at its first place after the last one. */
function partsOf(pieces: readonly Piece[]): (text: string) => boolean {
  const texts = pieces.flatMap((piece) => (typeof piece === 'string' ? [] : [piece.text]));
  if (!pieces.includes('%')) return (text) => text === (texts[0] ?? '');
  const first = pieces[0] === '%' ? '' : texts.shift()!;
  const last = pieces.at(-1) === '%' ? '' : texts.pop()!;
  const chars = texts.reduce((sum, { length }) => sum + length, 0);
  return (text) => {
    const end = text.length - last.length;
    if (end < first.length || !text.startsWith(first) || !text.endsWith(last)) return false;
    if (texts.length === 0) return true;
    burn((text.length + chars) / CHARS_PER_UNIT);
    let at = first.length;
    for (const part of texts) {
      at = indexOfPaid(text, part, at);
      if (at === -1) return false;
      at += part.length;
      if (at > end) return false;
    }
    return true;
  };
}

const ONE = -1;
const ANY = -2;

/** A pattern with `_`: compares character by character; after a mismatch it goes back to the last `%` and tries one character further. */
function steppedOf(pieces: readonly Piece[]): (text: string) => boolean {
  const wanted = pieces.flatMap((piece) => (piece === '%' ? [ANY] : piece === '_' ? [ONE] : codesOf(piece.text)));
  return (text) => {
    burn(text.length / CHARS_PER_UNIT);
    const given = codesOf(text);
    let at = 0;
    let of = 0;
    let again = -1;
    let behindAny = -1;
    for (let steps = 1; at < given.length; steps++) {
      if (steps % CHARS_PER_UNIT === 0) burn(1);
      const code = wanted[of];
      if (code === ANY) {
        behindAny = ++of;
        again = at;
      } else if (code === ONE || code === given[at]) {
        at++;
        of++;
      } else if (behindAny === -1) return false;
      else {
        of = behindAny;
        at = ++again;
      }
    }
    while (wanted[of] === ANY) of++;
    return of === wanted.length;
  };
}

const codesOf = (text: string): number[] => Array.from(text, (char) => char.codePointAt(0)!);

const ASCII = /^[\x00-\x7f]*$/;
/** Dotless i: its upper case is I, but it does not fold to i. */
const DOTLESS = '\u0131';

/** Folds case by simple case folding: every character stays one character. */
function folded(text: string): string {
  burn(text.length / CHARS_PER_UNIT);
  return ASCII.test(text) ? text.toLowerCase() : Array.from(text, foldedChar).join('');
}

function foldedChar(char: string): string {
  if (char === DOTLESS) return char;
  const upper = char.toUpperCase();
  const lower = (upper.length === char.length ? upper : char).toLowerCase();
  return lower.length === char.length ? lower : char;
}
