/**
 * When a cron trigger is due (docs/contract/triggers.md §6.1): five fields as in vixie cron, in a time zone of the IANA database. `croner` parses
 * them and counts by the zone's clocks; what it knows beyond vixie cron (seconds, `L`, `W`, `#`, nicknames) is refused here.
 */
import { Cron } from 'croner';

/** A time of the clocks that has no `*` and no step runs once a day at most, also on the days on which clocks are set. */
const OPTIONS = { paused: true, mode: '5-part', fixedTimeRule: 'no-wildcard' } as const;
const ITEM = /^(\*|\w+(-\w+)?)(\/\d+)?$/;
const LETTERS: readonly (RegExp | null)[] = [
  null,
  null,
  null,
  /^(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)$/i,
  /^(sun|mon|tue|wed|thu|fri|sat)$/i,
];

export interface CronSchedule {
  readonly expression: string;
  /** A zone of the IANA database. */
  readonly timezone: string;
}

export interface CronFault {
  readonly key: 'cron' | 'timezone';
  readonly message: string;
  readonly mend: string;
}

/** What is wrong with a schedule; null when there is a time at which it is due. */
export function cronFault({ expression, timezone }: CronSchedule): CronFault | null {
  if (!isZone(timezone)) {
    const mend = 'name a zone of the IANA database, such as UTC or Europe/Berlin';
    return { key: 'timezone', message: `there is no time zone "${timezone}"`, mend };
  }
  const mend =
    'write five fields: minute, hour, day of the month, month, day of the week, such as `*/5 8-18 * * mon-fri`';
  const form = formFault(expression) ?? parseFault({ expression, timezone });
  if (form !== null) return { key: 'cron', message: form, mend };
  if (nextDueMs({ expression, timezone }, 0) !== null) return null;
  return { key: 'cron', message: 'no day is like that: it is never due', mend: 'change the day or the month' };
}

/** Only zones by name: an offset such as +01:00 has no daylight saving, and would look like a zone that has. */
function isZone(timezone: string): boolean {
  if (!/^[A-Za-z]/.test(timezone)) return false;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: timezone }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

function formFault(expression: string): string | null {
  const fields = expression.trim().split(/\s+/);
  if (fields.length !== 5) return `a cron expression has five fields, this one ${fields.length}`;
  for (const [at, field] of fields.entries())
    if (field.split(',').some((item) => !isItem(item, LETTERS[at]!))) return `the field "${field}" cannot be read`;
  return null;
}

function isItem(item: string, letters: RegExp | null): boolean {
  if (!ITEM.test(item)) return false;
  const parts = item.split('/')[0]!.split('-');
  return parts.every((part) => part === '*' || /^\d{1,2}$/.test(part) || letters?.test(part) === true);
}

function parseFault(schedule: CronSchedule): string | null {
  try {
    cronOf(schedule);
    return null;
  } catch (error) {
    return (error as Error).message.replace(/^CronPattern: /, '');
  }
}

const cronOf = ({ expression, timezone }: CronSchedule): Cron => new Cron(expression, { ...OPTIONS, timezone });

/** The first time after an instant at which it is due, both in milliseconds since the epoch; null for never. */
export function nextDueMs(schedule: CronSchedule, afterMs: number): number | null {
  return cronOf(schedule).nextRun(new Date(afterMs))?.getTime() ?? null;
}
