/** How figures are written in the table: as many digits as the measurement deserves. */

export type Unit = 'req/s' | 'rows/s' | 'op/s' | 'sync/s' | 'ms' | 'MB' | 'MB/s' | 'B' | 't' | '%';

const whole = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });

/** Three significant digits below 1,000, whole numbers with separators above. */
export function number(value: number): string {
  if (!Number.isFinite(value)) return '–';
  return Math.abs(value) >= 1000 ? whole.format(value) : String(Number(value.toPrecision(3)));
}

/** Milliseconds with the unit that reads best: ns, µs, ms or s. */
export function duration(ms: number): string {
  if (ms < 0) return `-${duration(-ms)}`;
  if (ms < 0.001) return `${number(ms * 1e6)} ns`;
  if (ms < 1) return `${number(ms * 1000)} µs`;
  return ms < 1000 ? `${number(ms)} ms` : `${number(ms / 1000)} s`;
}

export function quantity(value: number, unit: Unit): string {
  return unit === 'ms' ? duration(value) : `${number(value)} ${unit}`;
}

/** A span in words for people who wait: `40 s`, `3 min 20 s`, `1 h 5 min`. */
export function span(seconds: number): string {
  const s = Math.ceil(seconds);
  if (s < 60) return `${s} s`;
  const minutes = Math.floor(s / 60);
  if (minutes < 60) return s % 60 === 0 ? `${minutes} min` : `${minutes} min ${s % 60} s`;
  return minutes % 60 === 0 ? `${minutes / 60} h` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
