/**
 * What a line of the log may be:
 *
 *   {"id","form","received_at","fields",…}      a submission
 *   {"erasure":"<instant>","lines":["<hash>"…]}  an erasure: the lines of these hashes are, or are about to be, erased
 *   {"id","form","erased":true    …}             what stands for an erased submission; it counts only with an erasure that names its hash
 */
import { parseLine, type Submission } from '../submission.ts';

export type LogEntry =
  | { readonly kind: 'submission'; readonly submission: Submission }
  | { readonly kind: 'erasure'; readonly at: string; readonly lines: readonly string[] }
  | { readonly kind: 'erased'; readonly id: string; readonly form: string };

const ERASURE_HEAD = '{"erasure":';

/** Takes the JSON object of a line of the log. */
export function entryOf({ body, erased }: { readonly body: string; readonly erased: boolean }): LogEntry {
  if (erased) {
    const { id, form } = JSON.parse(body) as Pick<Submission, 'id' | 'form'>;
    return { kind: 'erased', id, form };
  }
  if (!body.startsWith(ERASURE_HEAD)) return { kind: 'submission', submission: parseLine(body) };
  const { erasure: at, lines } = JSON.parse(body) as { erasure: string; lines: readonly string[] };
  return { kind: 'erasure', at, lines };
}

export function erasureLine(at: string, lines: readonly string[]): string {
  return JSON.stringify({ erasure: at, lines });
}

/** Shorter than any submission's line, which has its time and its fields as well. */
export function standInOf({ id, form }: Pick<Submission, 'id' | 'form'>): string {
  return JSON.stringify({ id, form });
}

/** Erased lines that no erasure has named yet. An erasure is always later in the log than the lines that it names. */
export class ErasedLines {
  readonly #open = new Map<string, string>();
  /** Ids of all erased lines. */
  readonly ids = new Set<string>();

  add(hash: string, { id, form }: Pick<Submission, 'id' | 'form'>): void {
    this.ids.add(id);
    this.#open.set(hash, `${form} ${id}`);
  }

  named(hashes: readonly string[]): void {
    for (const hash of hashes) this.#open.delete(hash);
  }

  /** Form and id of each line that is erased without an erasure. */
  get unnamed(): readonly string[] {
    return [...this.#open.values()];
  }
}
