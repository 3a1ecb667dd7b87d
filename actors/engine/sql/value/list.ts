/** Lists: PostgreSQL's arrays of one dimension, and their text (`{a,b,NULL}`). */
import { SqlFault } from '../fault.ts';
import type { Value } from '../type.ts';
import { bounded, charsOf } from './text-cost.ts';
import { burn } from '#actors/kit/pace/fuel.ts';
import { shown } from '#actors/kit/shown.ts';

/** The list, once it is known to have no more characters than a value may have. Burns for its values. */
export function boundedList(list: readonly Value[]): readonly Value[] {
  burn(list.length);
  bounded(charsOf(list));
  return list;
}

/** The values of a list's text; null for NULL. Throws SqlFault for another text. */
export function listTexts(text: string): (string | null)[] {
  const invalid = (): SqlFault => new SqlFault(`malformed array literal: "${shown(text)}"`);
  const trimmed = text.trim();
  if (!trimmed.startsWith('{') || !trimmed.endsWith('}')) throw invalid();
  const inside = trimmed.slice(1, -1);
  if (inside.trim() === '') return [];
  const out: (string | null)[] = [];
  let [piece, isQuoted, isOpen] = ['', false, false];
  const end = (): void => {
    const plain = isQuoted ? piece : piece.trim();
    if (!isQuoted && (plain === '' || /[{}]/.test(plain))) throw invalid();
    out.push(!isQuoted && plain.toLowerCase() === 'null' ? null : plain);
    [piece, isQuoted] = ['', false];
  };
  for (let at = 0; at < inside.length; at++) {
    const char = inside[at]!;
    if (char === '\\') piece += inside[++at] ?? '';
    else if (char === '"') {
      if (!isOpen && piece.trim() !== '') throw invalid();
      if (!isOpen) piece = '';
      isQuoted = true;
      isOpen = !isOpen;
    } else if (char === ',' && !isOpen) end();
    else if (isOpen || !isQuoted || char.trim() !== '') piece += char;
  }
  if (isOpen) throw invalid();
  end();
  return out;
}

/** The text of a list, of the texts of its values. */
export function listText(texts: readonly (string | null)[]): string {
  bounded(texts.reduce((sum, text) => sum + (text === null ? 4 : 2 * text.length) + 3, 2));
  const one = (text: string | null): string => {
    if (text === null) return 'NULL';
    const isPlain = text !== '' && !/[\s{},"\\]/.test(text) && text.toLowerCase() !== 'null';
    return isPlain ? text : `"${text.replace(/["\\]/g, '\\$&')}"`;
  };
  return `{${texts.map(one).join(',')}}`;
}
