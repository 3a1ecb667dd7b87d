/** `to_char` of instants and numbers. */
import { formatDate } from '../value/date-format.ts';
import { decimalOf } from '../value/float.ts';
import { formatNumber } from '../value/number-format.ts';
import { is, type Signature } from './signature.ts';

export const TO_CHAR: readonly Signature[] = [
  is(['timestamp', 'text'], 'text', (at, format) => formatDate(at as string, format as string)),
  is(['integer', 'text'], 'text', (value, format) => formatNumber(String(value), format as string)),
  is(['numeric', 'text'], 'text', (value, format) => formatNumber(value as string, format as string)),
  is(['float', 'text'], 'text', (value, format) => formatNumber(decimalOf(value as number), format as string)),
];
