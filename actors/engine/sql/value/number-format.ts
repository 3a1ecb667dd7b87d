/** `to_char` of numbers: PostgreSQL's patterns (formatting.c NUM_processor). */
import { SqlFault } from '../fault.ts';
import { round } from './numeric.ts';
import { burn } from '#actors/kit/pace/fuel.ts';
import { burnDigits } from './text-cost.ts';

/** Numbers have at most a thousand digits. */
const FORMAT_CHARS_MAX = 1000;

type Token =
  | { readonly kind: '9' | '0' | 'group' | 'point' | 'S' | 'MI' | 'PL' | 'SG' }
  | { readonly kind: 'literal'; readonly text: string };

interface Format {
  readonly tokens: readonly Token[];
  readonly isFilled: boolean;
  readonly isBracketed: boolean;
  /** Digits before and behind the point. */
  readonly before: number;
  readonly after: number;
  /** The digit from which zeros are shown, and the last one behind the point that is always shown. */
  readonly zeroFrom: number;
  readonly zeroTo: number;
}

const KINDS: Readonly<Record<string, Token['kind']>> = {
  '9': '9',
  '0': '0',
  ',': 'group',
  G: 'group',
  '.': 'point',
  D: 'point',
};
const SIGNS = ['MI', 'PL', 'SG', 'S'] as const;
const REFUSED = ['EEEE', 'RN', 'TH', 'SP', 'B', 'C', 'L', 'V'];

function formatOf(format: string): Format {
  const tokens: Token[] = [];
  let [isFilled, isBracketed, before, after, hasPoint] = [false, false, 0, 0, false];
  let [zeroFrom, zeroTo] = [Infinity, 0];
  const digit = (kind: '9' | '0'): void => {
    if (kind === '0' && zeroFrom === Infinity && !hasPoint) zeroFrom = before;
    if (hasPoint) after++;
    else before++;
    if (kind === '0' && hasPoint) zeroTo = after;
  };
  for (let at = 0; at < format.length;) {
    const upper = format.slice(at, at + 4).toUpperCase();
    const sign = SIGNS.find((one) => upper.startsWith(one));
    const kind = KINDS[upper[0]!];
    const refused = REFUSED.find((one) => upper.startsWith(one));
    if (refused !== undefined)
      throw new SqlFault(`the pattern ${refused} of to_char cannot be used here; docs/sql.md lists the patterns`);
    if (upper.startsWith('PR') && before + after === 0) throw new SqlFault('"9" must be ahead of "PR"');
    if (upper.startsWith('FM') || upper.startsWith('PR')) {
      if (upper.startsWith('FM')) isFilled = true;
      else isBracketed = true;
      at += 2;
    } else if (sign !== undefined) {
      tokens.push({ kind: sign });
      at += sign.length;
    } else if (kind !== undefined && kind !== 'literal') {
      if (kind === 'point' && hasPoint) throw new SqlFault('multiple decimal points');
      if (kind === 'point') hasPoint = true;
      if (kind === '9' || kind === '0') digit(kind);
      tokens.push({ kind });
      at++;
    } else if (format[at] === '"') {
      const end = format.indexOf('"', at + 1);
      const to = end < 0 ? format.length : end;
      tokens.push({ kind: 'literal', text: format.slice(at + 1, to) });
      at = to + 1;
    } else tokens.push({ kind: 'literal', text: format[at++]! });
  }
  return { tokens, isFilled, isBracketed, before, after, zeroFrom, zeroTo };
}

/** An exact decimal as the format says. Throws SqlFault for a pattern that PostgreSQL knows and this does not. */
export function formatNumber(value: string, text: string): string {
  if (text.length > FORMAT_CHARS_MAX)
    throw new SqlFault(`a format of to_char has more than ${FORMAT_CHARS_MAX} characters`);
  burn(2 * text.length);
  burnDigits(value.length + text.length);
  const format = formatOf(text);
  const { before, after, tokens, isFilled, isBracketed, zeroFrom, zeroTo } = format;
  const rounded = round(value, after);
  const isNegative = rounded.startsWith('-');
  const [whole, rest = ''] = rounded.replace('-', '').split('.') as [string, string | undefined];
  const isOver = whole.length > before;
  const last = isFilled && !isOver ? Math.max(zeroTo, lastShown(rest)) : after;
  const shownWhole = whole === '0' && last > 0 && !isOver && before > 0 ? '' : whole;
  const digits = isOver ? '#'.repeat(before) : shownWhole.padStart(before, ' ');
  const begin = Math.min(before - (isOver ? before : shownWhole.length), zeroFrom);
  const fixed = tokens.some(({ kind }) => kind === 'MI' || kind === 'SG');
  const floats = !isBracketed && (!fixed || tokens.some(({ kind }) => kind === 'S'));
  const isBehind = floats && signIsBehind(tokens);
  const out: string[] = [];
  let [at, isPast, hasSign] = [0, false, false];
  const sign = (): void => {
    if (hasSign) return;
    hasSign = true;
    if (isBracketed) out.push(isNegative ? '<' : isFilled ? '' : ' ');
    else if (floats && !isBehind) out.push(signText(tokens, isNegative, isFilled));
  };
  const digit = (): void => {
    if (isPast) {
      const place = at++ - before;
      if (place < last) out.push(isOver ? '#' : rest[place]!);
      return;
    }
    const place = at++;
    if (place < begin) {
      if (!isFilled) out.push(' ');
      return;
    }
    sign();
    out.push(digits[place] === ' ' ? '0' : digits[place]!);
  };
  for (const token of tokens)
    switch (token.kind) {
      case '9':
      case '0':
        digit();
        break;
      case 'group':
        out.push(at > begin ? ',' : isFilled ? '' : ' ');
        break;
      case 'point':
        sign();
        isPast = true;
        if (after > 0 || isOver) out.push('.');
        break;
      case 'S':
        if (isBehind) out.push(isNegative ? '-' : '+');
        break;
      case 'literal':
        out.push(token.text);
        break;
      default:
        out.push(fixedSign(token.kind, isNegative, isFilled));
    }
  if (isBracketed) out.push(isNegative ? '>' : isFilled ? '' : ' ');
  return out.join('');
}

function fixedSign(kind: 'MI' | 'PL' | 'SG', isNegative: boolean, isFilled: boolean): string {
  const none = isFilled ? '' : ' ';
  if (kind === 'SG') return isNegative ? '-' : '+';
  if (kind === 'MI') return isNegative ? '-' : none;
  return isNegative ? none : '+';
}

function signText(tokens: readonly Token[], isNegative: boolean, isFilled: boolean): string {
  if (isNegative) return '-';
  return tokens.some(({ kind }) => kind === 'S') ? '+' : isFilled ? '' : ' ';
}

/** Whether S stands behind the digits. */
function signIsBehind(tokens: readonly Token[]): boolean {
  const sign = tokens.findIndex(({ kind }) => kind === 'S');
  return sign >= 0 && tokens.slice(0, sign).some(({ kind }) => kind === '9' || kind === '0');
}

/** The number of decimals without the zeros at their end. */
function lastShown(decimals: string): number {
  let last = decimals.length;
  while (last > 0 && decimals[last - 1] === '0') last--;
  return last;
}
