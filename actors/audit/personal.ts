/**
 * Personal data of records, beside their log: addresses and e-mails, which may have to be erased. A record holds the SHA-256 of a line here
 * (`personal_sha256`); each line has a random salt, so that the hash alone reveals nothing. One file a day (UTC):
 *
 *   personal/2026-11-22.jsonl     <sha256 of the JSON> {"email":"…","ip":"…","salt":"<32 hex>"}
 *
 * The same caller has one line a day. Erasing rewrites files without a line; the signed records stay as they are and verify.
 */
import { hash } from 'node:crypto';
import { limits } from '#config/limits.ts';
import { timestamp, type Clock } from '#actors/kit/clock.ts';
import { Serial } from '#actors/kit/serial.ts';
import type { Personal } from '#actors/protocol/audit.ts';
import { canonicalJson } from './canonical.ts';
import type { LogFiles } from './store.ts';

const DIRECTORY = 'personal';
const DAY_MS = 86_400_000;
const HASH_CHARS = 64;

export interface PersonalPorts {
  readonly files: LogFiles;
  readonly clock: Clock;
  /** Gives so many unpredictable bytes. */
  readonly random: (bytes: number) => Uint8Array;
  /** Hears once of each file in which lines are damaged, or were cut by a crash. No record finds them. */
  readonly onDamaged?: (path: string, lines: number) => void;
}

/** What to erase: lines that match every given field, of days before a time. */
export interface Erasure {
  readonly email?: string | undefined;
  readonly ip?: string | undefined;
  /** Milliseconds since the epoch; only whole days that ended before it. */
  readonly beforeMs?: number | undefined;
}

export class PersonalData {
  readonly #ports: PersonalPorts;
  /** Hash of today's line by its content; bounded in size. A content that was dropped from it gets another line. */
  readonly #today = new Map<string, string>();
  #day = '';
  /** Files whose damage was reported. */
  readonly #damaged = new Set<string>();
  /** Files are read, then written: nothing may come between. */
  readonly #files = new Serial();

  constructor(ports: PersonalPorts) {
    this.#ports = ports;
  }

  /** The hash of a content's durable line of today; null when it has none. */
  hashOf(content: Personal): string | null {
    return this.#dayNow() === this.#day ? (this.#today.get(keyOf(content)) ?? null) : null;
  }

  /** Gives each content a line of today; they are on the disk when it resolves. */
  keep(contents: readonly Personal[]): Promise<void> {
    return this.#files.run(async () => {
      this.#turnDay();
      const fresh = new Map(
        contents.filter((content) => this.hashOf(content) === null).map((content) => [keyOf(content), content]),
      );
      if (fresh.size === 0) return;
      const lines = [...fresh].map(([key, content]) => [key, this.#lineOf(content)] as const);
      await this.#append(lines.map(([, line]) => line).join(''));
      if (this.#today.size > limits.audit.personalMemoMax) this.#today.clear();
      for (const [key, line] of lines) this.#today.set(key, line.slice(0, HASH_CHARS));
    });
  }

  /** The stored lines of these hashes, for records that were taken at these times (milliseconds). */
  async find(wanted: ReadonlyMap<string, number>): Promise<Map<string, Personal>> {
    const found = new Map<string, Personal>();
    // The line may be of the day before its record, written just before midnight.
    const days = new Set([...wanted.values()].flatMap((ms) => [dayOf(ms), dayOf(ms - DAY_MS)]));
    for (const day of days)
      for (const line of (await this.#read(day)).whole) {
        const sha256 = line.slice(0, HASH_CHARS);
        if (wanted.has(sha256)) found.set(sha256, contentOf(line));
      }
    return found;
  }

  /** Erases lines; gives how many. Damaged ones of the same days go as well: they may be what is meant, and are of use to no record. */
  erase(wish: Erasure): Promise<number> {
    return this.#files.run(async () => {
      let erased = 0;
      for (const name of await this.#ports.files.names(DIRECTORY)) {
        const day = name.slice(0, -'.jsonl'.length);
        if (wish.beforeMs !== undefined && Date.parse(day) + DAY_MS > wish.beforeMs) continue;
        const { whole, damaged } = await this.#read(day);
        const kept = whole.filter((line) => !isMeant(contentOf(line), wish));
        erased += whole.length - kept.length;
        if (kept.length < whole.length + damaged) await this.#replace(day, kept);
      }
      if (erased > 0) this.#today.clear();
      return erased;
    });
  }

  async #replace(day: string, lines: readonly string[]): Promise<void> {
    const { files } = this.#ports;
    if (lines.length === 0) await files.remove(pathOf(day));
    else await files.save([[pathOf(day), Buffer.from(lines.map((line) => `${line}\n`).join(''))]]);
  }

  /** Appends a line. A line that a crash has cut short is ended first; it matches no hash. */
  async #append(text: string): Promise<void> {
    const { files } = this.#ports;
    const path = pathOf(this.#day);
    const before = await files.read(path);
    const file = await files.open(path);
    try {
      const torn = before !== null && before.length > 0 && before.at(-1) !== '\n'.charCodeAt(0);
      await file.write(Buffer.from(torn ? `\n${text}` : text), before?.length ?? 0);
      await file.sync();
    } finally {
      await file.close();
    }
  }

  #lineOf(content: Personal): string {
    const salt = Buffer.from(this.#ports.random(limits.audit.personalSaltBytes)).toString('hex');
    const json = canonicalJson({ ...content, salt });
    return `${hash('sha256', json, 'hex')} ${json}\n`;
  }

  /** The whole lines of a day, and how many are not. */
  async #read(day: string): Promise<{ readonly whole: string[]; readonly damaged: number }> {
    const path = pathOf(day);
    const lines = ((await this.#ports.files.read(path))?.toString() ?? '').split('\n').filter((line) => line !== '');
    const whole = lines.filter(isWhole);
    const damaged = lines.length - whole.length;
    if (damaged > 0 && !this.#damaged.has(path)) {
      this.#damaged.add(path);
      this.#ports.onDamaged?.(path, damaged);
    }
    return { whole, damaged };
  }

  #dayNow(): string {
    return dayOf(this.#ports.clock.now());
  }

  #turnDay(): void {
    const day = this.#dayNow();
    if (day !== this.#day) this.#today.clear();
    this.#day = day;
  }
}

const dayOf = (ms: number): string => timestamp(ms).slice(0, 'yyyy-mm-dd'.length);
const pathOf = (day: string): string => `${DIRECTORY}/${day}.jsonl`;
const keyOf = ({ ip = '', email = '' }: Personal): string => `${ip}\n${email}`;

function isWhole(line: string): boolean {
  return line[HASH_CHARS] === ' ' && hash('sha256', line.slice(HASH_CHARS + 1), 'hex') === line.slice(0, HASH_CHARS);
}

function contentOf(line: string): Personal {
  const { ip, email } = JSON.parse(line.slice(HASH_CHARS + 1)) as Personal;
  return { ...(ip !== undefined && { ip }), ...(email !== undefined && { email }) };
}

/** Upper and lower case of an e-mail do not count, as in a login: the line has what the caller typed. */
function isMeant(content: Personal, { ip, email }: Erasure): boolean {
  const isEmail = email === undefined || content.email?.toLowerCase() === email.toLowerCase();
  return isEmail && (ip === undefined || content.ip === ip);
}
