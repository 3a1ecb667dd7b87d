/** A request for a page of a site that came to the door of another node: it has the head that the far door read, and an answer of a large file leaves in pieces, each when the far caller has taken one. */
import { limits } from '#config/limits.ts';
import { PIECE_BYTES, WINDOW_BYTES } from '#actors/protocol/stream.ts';
import type { Carried } from './carried.ts';
import { FarVisit, type FarDoor } from './far-visit.ts';

export class FarPage extends FarVisit {
  readonly #head: ReadonlyMap<string, string>;

  /** `path`: raw, as its caller sent it. */
  constructor(no: number, path: string, carried: Carried, door: FarDoor) {
    super({ no, method: 0, path, query: '', body: '' }, carried, door);
    this.#head = headOf(carried.rest);
  }

  override header(name: string): string {
    return this.#head.get(name) ?? '';
  }

  override answer(status: number, headers: string, body: string | Uint8Array): void {
    if (typeof body === 'string' || body.byteLength <= limits.host.pieceReplyMin) super.answer(status, headers, body);
    else this.#answerInPieces(status, headers, body);
  }

  #answerInPieces(status: number, headers: string, body: Uint8Array): void {
    let at = 0;
    let ahead = 0;
    const more = (): void => {
      while (at < body.byteLength && ahead < WINDOW_BYTES) {
        const piece = body.subarray(at, at + PIECE_BYTES);
        at += piece.byteLength;
        ahead += piece.byteLength;
        this.answerPiece(piece);
      }
      if (at === body.byteLength) this.endAnswer();
    };
    const taken = (bytes: number): void => {
      ahead -= bytes;
      more();
    };
    this.beginAnswer(status, headers, body.byteLength, { taken, gone: () => void this.cutAnswer() });
    more();
  }
}

/** By lower-case name. */
function headOf(lines: string): ReadonlyMap<string, string> {
  const head = new Map<string, string>();
  for (const line of lines.split('\n')) {
    const colon = line.indexOf(':');
    if (colon > 0) head.set(line.slice(0, colon), line.slice(colon + 1));
  }
  return head;
}
