/** Follows each source's numbers through the records: a number that is left out is an event that never arrived. */
import { joinSpans, readPruning, type Span } from '../pruning.ts';
import { Tampered, type Gap } from './report.ts';

const GAPS_SHOWN_MAX = 1000;

interface RecordHead {
  readonly v?: unknown;
  readonly seq?: unknown;
  readonly source?: unknown;
  readonly source_seq?: unknown;
  readonly action?: unknown;
  readonly data?: unknown;
  readonly data_sha256?: unknown;
}

export class Sequences {
  readonly #last = new Map<string, number>();
  readonly gaps: Gap[] = [];
  /** What the records say the log has pruned: spans in order, of which no two touch. */
  pruned: readonly Span[] = [];

  /** Takes a record in; gives the SHA-256 in hex of data that lies beside it, or null. Throws Tampered when it is none, or stands at another place than it says. */
  see(entry: Uint8Array, index: number, file: string): string | null {
    const record = parse(entry);
    if (record === null) throw new Tampered({ file, index, what: 'the entry is no record' });
    if (record.seq !== index)
      throw new Tampered({ file, index, what: `the record says that it is number ${String(record.seq)}` });
    const { source, source_seq: number } = record;
    const pruning = readPruning(record);
    if (pruning !== null) this.pruned = joinSpans([...this.pruned, ...pruning.spans]);
    if (typeof source === 'string' && typeof number === 'number') this.#follow(source, number);
    const { data_sha256: blob } = record;
    if (blob === undefined) return null;
    if (typeof blob === 'string' && /^[0-9a-f]{64}$/.test(blob)) return blob;
    throw new Tampered({ file, index, what: 'its data_sha256 is no SHA-256' });
  }

  #follow(source: string, number: number): void {
    const last = this.#last.get(source);
    if (last !== undefined && number > last + 1 && this.gaps.length < GAPS_SHOWN_MAX)
      this.gaps.push({ source, from: last + 1, to: number - 1 });
    if (last === undefined || number > last) this.#last.set(source, number);
  }
}

function parse(entry: Uint8Array): RecordHead | null {
  try {
    const value: unknown = JSON.parse(Buffer.from(entry.buffer, entry.byteOffset, entry.length).toString());
    return typeof value === 'object' && value !== null ? value : null;
  } catch {
    return null;
  }
}
