/** A place among the words of a program. A word that does not fit throws Unsure. */
import { Unsure } from './faults.ts';
import type { Token } from './lexer.ts';

export class Cursor {
  readonly #tokens: readonly Token[];
  #at = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  get atEnd(): boolean {
    return this.#at === this.#tokens.length;
  }

  back(): void {
    this.#at--;
  }

  fail(): never {
    throw new Unsure(`what stands at word ${this.#at}`);
  }

  peek(): Token | undefined {
    return this.#tokens[this.#at];
  }

  next(): Token {
    return this.#tokens[this.#at++] ?? this.fail();
  }

  is(symbol: string): boolean {
    const token = this.peek();
    return token?.kind === 'symbol' && token.text === symbol;
  }

  isKeyword(word: string): boolean {
    const token = this.peek();
    return token?.kind === 'keyword' && token.text === word;
  }

  accept(symbol: string): boolean {
    if (!this.is(symbol)) return false;
    this.#at++;
    return true;
  }

  expect(symbol: string): void {
    if (!this.accept(symbol)) this.fail();
  }

  acceptKeyword(word: string): boolean {
    if (!this.isKeyword(word)) return false;
    this.#at++;
    return true;
  }

  expectKeyword(word: string): void {
    if (!this.acceptKeyword(word)) this.fail();
  }

  variable(): string {
    const token = this.next();
    return token.kind === 'variable' ? token.text : this.fail();
  }
}
