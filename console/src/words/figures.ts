/** Numbers, sizes and times as the reader's language writes them. */
import { useMemo } from 'react';
import { useLanguage } from './words.tsx';

const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const;

/** Seconds of each. */
const SPANS = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
] as const;

export interface Figures {
  readonly count: (value: number) => string;
  readonly bytes: (value: number) => string;
  readonly moment: (text: string) => string;
  /** Of so many seconds, in the largest unit that it has wholly. */
  readonly span: (seconds: number) => string;
}

export function useFigures(): Figures {
  const { language } = useLanguage();
  return useMemo(() => {
    const number = new Intl.NumberFormat(language, { maximumFractionDigits: 1 });
    const moment = new Intl.DateTimeFormat(language, { dateStyle: 'short', timeStyle: 'medium' });
    return {
      count: (value) => number.format(value),
      bytes: (value) => {
        const power = Math.min(UNITS.length - 1, Math.floor(Math.log10(Math.max(1, value)) / 3));
        // English has no short plural of a byte.
        const unitDisplay = power === 0 ? 'long' : 'short';
        const unit = { style: 'unit', unit: UNITS[power]!, unitDisplay, maximumFractionDigits: 1 } as const;
        return new Intl.NumberFormat(language, unit).format(value / 1000 ** power);
      },
      moment: (text) => moment.format(new Date(text)),
      span: (seconds) => {
        const [unit, length] = SPANS.find(([, one]) => seconds >= one && seconds % one === 0) ?? SPANS.at(-1)!;
        const told = { style: 'unit', unit, unitDisplay: 'long' } as const;
        return new Intl.NumberFormat(language, told).format(seconds / length);
      },
    };
  }, [language]);
}
