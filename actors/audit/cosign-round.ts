/** Gets a log's newest checkpoint cosigned, and keeps the cosigned one beside it. */
import { askWitness, type WitnessPeer } from './ask-witness.ts';
import { refusalByWitness } from './judge-target.ts';
import type { LogBook } from './log-book.ts';

/** The newest checkpoint with a witness's line; the plain one may be ahead of it. */
export const COSIGNED = 'cosigned';

/** The newest checkpoint that each witness has cosigned for each log, as far as this process knows. */
export class Cosigning {
  readonly #book: LogBook;
  readonly #known = new Map<string, number>();

  constructor(book: LogBook) {
    this.#book = book;
  }

  /** Asks one witness about one log; a contradiction makes the log refused. Rejects when the witness is unreachable. */
  async cosign(logId: string, witness: WitnessPeer): Promise<void> {
    const log = await this.#book.open(logId);
    const { head, origin, files } = log;
    const place = `${witness.url} ${logId}`;
    const known = this.#known.get(place);
    if (head === undefined || known === head.size) return;
    const found = await askWitness({ origin, verifier: log.key.verifier, head, files }, witness, known ?? head.size);
    if (typeof found !== 'string') {
      await files.save([[COSIGNED, Buffer.from(found.note)]]);
      this.#known.set(place, found.size);
    } else if (found === 'fork' || (await this.#book.open(logId)).head?.size === head.size)
      await this.#book.refuse(logId, refusalByWitness(found, witness.url));
    // If not, the log has grown and was cosigned again while this answer was on its way.
  }
}
