/**
 * Globs of policies (docs/contract/vault.md §2.4): `*` matches within a segment, `**` across segments, every other character itself. A caller chooses a part of
 * the text, so the work is bounded by the lengths of both: a regular expression with several `**` needs time that doubles with each of them.
 */
const ANY = -1;
const WITHIN = -2;
const SLASH = '/'.charCodeAt(0);

export class Glob {
  readonly #tokens: readonly number[];
  /** What comes before the first `*`. */
  readonly head: string;

  constructor(glob: string) {
    this.head = glob.split('*', 1)[0]!;
    this.#tokens = (glob.slice(this.head.length).match(/\*\*|[^]/g) ?? []).map((part) =>
      part === '**' ? ANY : part === '*' ? WITHIN : part.charCodeAt(0),
    );
  }

  fits(text: string): boolean {
    return text.startsWith(this.head) && this.#fitsFrom(text, this.head.length);
  }

  /** Each wildcard takes as little as it can. Where that fails, the last `*` takes one character more, or else the last `**`: those before it never need to. */
  #fitsFrom(text: string, from: number): boolean {
    const tokens = this.#tokens;
    let [at, token] = [from, 0];
    let [within, withinAt] = [-1, 0];
    let [any, anyAt] = [-1, 0];
    while (at < text.length) {
      const wanted = tokens[token];
      if (wanted === ANY) [any, anyAt, within, token] = [token, at, -1, token + 1];
      else if (wanted === WITHIN) [within, withinAt, token] = [token, at, token + 1];
      else if (wanted === text.charCodeAt(at)) [at, token] = [at + 1, token + 1];
      else if (within >= 0 && text.charCodeAt(withinAt) !== SLASH) [at, token] = [++withinAt, within + 1];
      else if (any >= 0) [at, token, within] = [++anyAt, any + 1, -1];
      else return false;
    }
    return tokens.slice(token).every((wanted) => wanted < 0);
  }
}
