/** SQL's LIKE: `%` stands for any text, `_` for one character, a backslash takes the meaning from what follows it. */
import { compilePattern } from '#actors/kit/pattern.ts';

const SPECIAL = /[\\^$.|?*+()[\]{}]/g;

type Piece = { readonly text: string } | '%' | '_';

/** Whether a text is like the pattern; linear in the text. `fold` ignores case. */
export function likeOf(pattern: string, fold: boolean): (text: string) => boolean {
  const pieces = piecesOf(pattern);
  if (!fold && !pieces.includes('_')) {
    const plain = plainOf(pieces);
    if (plain !== null) return plain;
  }
  const body = pieces.map((piece) =>
    piece === '%' ? '.*' : piece === '_' ? '.' : piece.text.replace(SPECIAL, '\\$&'),
  );
  return compilePattern(`(?s${fold ? 'i' : ''})^${body.join('')}$`);
}

/** The text with which everything that is like the pattern begins; '' when nothing is known of it. */
export function prefixOf(pattern: string): string {
  const first = piecesOf(pattern)[0];
  return first === undefined || typeof first === 'string' ? '' : first.text;
}

function piecesOf(pattern: string): Piece[] {
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

/** The usual forms need no expression: the text itself, its beginning, its end, a part of it. */
function plainOf(pieces: readonly Piece[]): ((text: string) => boolean) | null {
  const texts = pieces.filter((piece) => piece !== '%' && piece !== '_');
  if (texts.length > 1) return null;
  const wanted = texts[0]?.text ?? '';
  const open = pieces[0] === '%';
  const end = pieces.at(-1) === '%';
  if (wanted === '') return open ? () => true : (text) => text === '';
  if (open) return end ? (text) => text.includes(wanted) : (text) => text.endsWith(wanted);
  return end ? (text) => text.startsWith(wanted) : (text) => text === wanted;
}
