/** `to_char` of instants and spans, in UTC: PostgreSQL's patterns (formatting.c DCH_keywords). Letters that begin no pattern stand for themselves. */
import { extract } from '../expression/time-functions.ts';
import { burn } from '#actors/kit/pace/fuel.ts';
import { SqlFault } from '../fault.ts';
import { bounded } from './text-cost.ts';

interface Pattern {
  readonly text: (at: Date, iso: string) => string;
  /** Digits that it is filled up to with zeros; 0 for none. A text is filled up to nine characters with spaces where `padded`. */
  readonly digits?: number;
  readonly padded?: boolean;
}

const MONTHS = 'January February March April May June July August September October November December'.split(' ');
const DAYS = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ');
const ROMAN = 'I II III IV V VI VII VIII IX X XI XII'.split(' ');

const field = (name: string, digits: number): Pattern => ({ text: (_, iso) => extract(name, iso), digits });
const number = (value: (at: Date) => number, digits: number): Pattern => ({ text: (at) => String(value(at)), digits });
const hour12 = number((at) => at.getUTCHours() % 12 || 12, 2);
const lastDigits = (name: string, digits: number): Pattern => ({
  text: (_, iso) => String(Number(extract(name, iso)) % 10 ** digits),
  digits,
});
const fraction = (digits: number): Pattern => ({
  text: (at) => String(at.getUTCMilliseconds()).padStart(3, '0').padEnd(6, '0').slice(0, digits),
});
const half = (am: string, pm: string): Pattern => ({ text: (at) => (at.getUTCHours() < 12 ? am : pm) });
const dayOfYear = (iso: string): number => Number(extract('doy', iso));

/** Patterns of numbers, which are written in capitals or in small letters. */
const NUMBERS: Readonly<Record<string, Pattern>> = {
  'Y,YYY': {
    text: (at) => `${Math.floor(at.getUTCFullYear() / 1000)},${String(at.getUTCFullYear() % 1000).padStart(3, '0')}`,
  },
  YYYY: field('year', 4),
  YYY: lastDigits('year', 3),
  YY: lastDigits('year', 2),
  Y: lastDigits('year', 1),
  IYYY: field('isoyear', 4),
  IYY: lastDigits('isoyear', 3),
  IY: lastDigits('isoyear', 2),
  I: lastDigits('isoyear', 1),
  Q: field('quarter', 1),
  MM: field('month', 2),
  WW: { text: (_, iso) => String(Math.floor((dayOfYear(iso) - 1) / 7) + 1), digits: 2 },
  IW: field('week', 2),
  W: number((at) => Math.floor((at.getUTCDate() - 1) / 7) + 1, 1),
  DDD: field('doy', 3),
  DD: field('day', 2),
  D: number((at) => at.getUTCDay() + 1, 1),
  ID: field('isodow', 1),
  HH24: field('hour', 2),
  HH12: hour12,
  HH: hour12,
  MI: field('minute', 2),
  SSSSS: number((at) => at.getUTCHours() * 3600 + at.getUTCMinutes() * 60 + at.getUTCSeconds(), 0),
  SSSS: number((at) => at.getUTCHours() * 3600 + at.getUTCMinutes() * 60 + at.getUTCSeconds(), 0),
  SS: number((at) => at.getUTCSeconds(), 2),
  MS: fraction(3),
  US: fraction(6),
  FF1: fraction(1),
  FF2: fraction(2),
  FF3: fraction(3),
  FF4: fraction(4),
  FF5: fraction(5),
  FF6: fraction(6),
  CC: field('century', 2),
  J: { text: (at) => String(Math.floor(at.getTime() / 86_400_000) + 2_440_588) },
};

const month = (at: Date): string => MONTHS[at.getUTCMonth()]!;
const weekday = (at: Date): string => DAYS[at.getUTCDay()]!;
const cases = (name: string, text: (at: Date) => string, padded: boolean): Record<string, Pattern> => ({
  [name.toUpperCase()]: { text: (at) => text(at).toUpperCase(), padded },
  [name]: { text, padded },
  [name.toLowerCase()]: { text: (at) => text(at).toLowerCase(), padded },
});

const PATTERNS: Readonly<Record<string, Pattern>> = {
  ...NUMBERS,
  ...Object.fromEntries(Object.entries(NUMBERS).map(([name, pattern]) => [name.toLowerCase(), pattern])),
  ...cases('Month', month, true),
  ...cases('Mon', (at) => month(at).slice(0, 3), false),
  ...cases('Day', weekday, true),
  ...cases('Dy', (at) => weekday(at).slice(0, 3), false),
  RM: { text: (at) => ROMAN[at.getUTCMonth()]!.padEnd(4) },
  rm: { text: (at) => ROMAN[at.getUTCMonth()]!.toLowerCase().padEnd(4) },
  AM: half('AM', 'PM'),
  PM: half('AM', 'PM'),
  am: half('am', 'pm'),
  pm: half('am', 'pm'),
  'A.M.': half('A.M.', 'P.M.'),
  'P.M.': half('A.M.', 'P.M.'),
  'a.m.': half('a.m.', 'p.m.'),
  'p.m.': half('a.m.', 'p.m.'),
  TZH: { text: () => '+00' },
  TZM: { text: () => '00' },
  TZ: { text: () => 'UTC' },
  tz: { text: () => 'utc' },
  OF: { text: () => '+00' },
  of: { text: () => '+00' },
  tzh: { text: () => '+00' },
  tzm: { text: () => '00' },
};

/** What PostgreSQL knows and this does not. */
const REFUSED = ['IDDD', 'iddd', 'AD', 'ad', 'BC', 'bc', 'A.D.', 'a.d.', 'B.C.', 'b.c.', 'TM', 'FX', 'SP'];
/** The names of patterns by their first letter, the longest first. */
const NAMES = Map.groupBy(
  [...Object.keys(PATTERNS), ...REFUSED].sort((a, b) => b.length - a.length),
  (name) => name[0]!,
);

/** The instant as the format says. Throws SqlFault for a pattern that PostgreSQL knows and this does not. */
export function formatDate(iso: string, format: string): string {
  const at = new Date(iso);
  const pieces: string[] = [];
  bounded(format.length * 9);
  for (let place = 0; place < format.length;) {
    const isFilled = /^fm/i.test(format.slice(place, place + 2));
    if (isFilled) place += 2;
    burn(2);
    const name = NAMES.get(format[place] ?? '')?.find((one) => format.startsWith(one, place));
    if (name === undefined) place = literal(format, place, pieces);
    else {
      place += name.length;
      const suffix = /^th/i.exec(format.slice(place, place + 2))?.[0];
      const text = shownBy(name, at, iso, isFilled);
      const isNumber = /\d$/.test(text);
      pieces.push(text, suffix !== undefined && isNumber ? ordinal(text, suffix === 'TH') : '');
      if (suffix !== undefined) place += 2;
    }
  }
  return pieces.join('');
}

function shownBy(name: string, at: Date, iso: string, isFilled: boolean): string {
  const pattern = PATTERNS[name];
  if (pattern === undefined)
    throw new SqlFault(`the pattern ${name} of to_char cannot be used here; docs/sql.md lists the patterns`);
  const text = pattern.text(at, iso);
  if (isFilled) return pattern.digits === undefined ? text.trimEnd() : text;
  return pattern.padded === true ? text.padEnd(9) : text.padStart(pattern.digits ?? 0, '0');
}

/** Copies what is no pattern: a character, or a text in quotes. */
function literal(format: string, place: number, pieces: string[]): number {
  if (format[place] !== '"') {
    const width = (format.codePointAt(place) ?? 0) > 0xffff ? 2 : 1;
    pieces.push(format.slice(place, place + width));
    return place + width;
  }
  let at = place + 1;
  for (; at < format.length && format[at] !== '"'; at++) {
    if (format[at] === '\\') at++;
    pieces.push(format[at] ?? '');
  }
  return at + 1;
}

/** The ending of an ordinal number, such as `st`. */
function ordinal(digits: string, isUpper: boolean): string {
  const last = digits.at(-1);
  const isTeen = digits.at(-2) === '1';
  const ending = isTeen ? 'th' : last === '1' ? 'st' : last === '2' ? 'nd' : last === '3' ? 'rd' : 'th';
  return isUpper ? ending.toUpperCase() : ending;
}
