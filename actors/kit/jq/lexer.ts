/** Words of a jq program. For unknown ones it throws Unsure: the reference tier says whether they are an error. */
import { Unsure } from './faults.ts';

export type Token =
  | {
      readonly kind: 'field' | 'name' | 'keyword' | 'variable' | 'format' | 'symbol';
      readonly text: string;
      readonly line: number;
    }
  | { readonly kind: 'number'; readonly text: string; readonly line: number }
  | {
      readonly kind: 'string';
      readonly parts: readonly (string | readonly Token[])[];
      readonly text: '';
      readonly line: number;
    };

const KEYWORDS: ReadonlySet<string> = new Set(
  'module import include if then elif else end as reduce foreach try catch label def and or __loc__'.split(' '),
);

const RULES = [
  ['number', /(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?/y],
  ['field', /\.[A-Za-z_]\w*/y],
  ['symbol', /\?\/\/=?|\/\/=|\|=|\+=|-=|\*=|\/=|%=|==|!=|<=|>=|\/\/|\.\.|[.[\](){}|,:;=<>+\-*/%?]/y],
  ['variable', /\$[A-Za-z_]\w*/y],
  ['format', /@[A-Za-z0-9_]+/y],
  ['name', /[A-Za-z_]\w*/y],
] as const;

const SPACE = /[ \t\r\n]+|#[^\n\r\\]*(?=\n|$)/y;
const PLAIN = /[^"\\]+/y;
const ESCAPES: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};

class Lexer {
  readonly #text: string;
  #at = 0;
  #line = 1;

  constructor(text: string) {
    this.#text = text;
  }

  /** Tokens up to the end, or up to the bracket that closes an interpolation. */
  tokens(isInner: boolean): readonly Token[] {
    const out: Token[] = [];
    for (let depth = 0; ;) {
      this.#skipSpace();
      if (this.#at === this.#text.length) {
        if (isInner) throw new Unsure('an interpolation that does not end');
        return out;
      }
      const token = this.#token();
      if (token.text === '(' && token.kind === 'symbol') depth++;
      if (token.text === ')' && token.kind === 'symbol' && --depth < 0 && isInner) return out;
      out.push(token);
    }
  }

  #skipSpace(): void {
    for (let space = this.#take(SPACE); space !== null; space = this.#take(SPACE))
      for (const char of space) if (char === '\n') this.#line++;
  }

  #take(rule: RegExp): string | null {
    rule.lastIndex = this.#at;
    const found = rule.exec(this.#text);
    if (found === null) return null;
    this.#at = rule.lastIndex;
    return found[0];
  }

  #token(): Token {
    const line = this.#line;
    if (this.#text[this.#at] === '"') return this.#string();
    for (const [kind, rule] of RULES) {
      const text = this.#take(rule);
      if (text === null) continue;
      if (kind === 'name' && this.#text.startsWith('::', this.#at)) break;
      if (kind === 'name' && KEYWORDS.has(text)) return { kind: 'keyword', text, line };
      return { kind, text: kind === 'field' || kind === 'variable' ? text.slice(1) : text, line };
    }
    throw new Unsure('a character that begins no word');
  }

  #string(): Token {
    const line = this.#line;
    const parts: (string | readonly Token[])[] = [];
    let text = '';
    this.#at++;
    for (;;) {
      const plain = this.#take(PLAIN);
      if (plain !== null) {
        text += plain;
        for (const char of plain) if (char === '\n') this.#line++;
      }
      const next = this.#text[this.#at++];
      if (next === '"') break;
      if (next === undefined) throw new Unsure('a text that does not end');
      if (this.#text[this.#at] !== '(') {
        text += this.#escape();
        continue;
      }
      this.#at++;
      parts.push(text, this.tokens(true));
      text = '';
    }
    parts.push(text);
    return { kind: 'string', parts, text: '', line };
  }

  #escape(): string {
    const char = this.#text[this.#at++] ?? '';
    const plain = ESCAPES[char];
    if (plain !== undefined) return plain;
    const hex = char === 'u' ? this.#text.slice(this.#at, this.#at + 4) : '';
    if (!/^[\da-fA-F]{4}$/.test(hex)) throw new Unsure('an escape');
    this.#at += 4;
    const code = Number.parseInt(hex, 16);
    if (code === 0 || (code >= 0xd800 && code <= 0xdfff)) return this.#surrogates(code);
    return String.fromCharCode(code);
  }

  #surrogates(high: number): string {
    const rest = /^\\u([dD][c-fC-F][\da-fA-F]{2})/.exec(this.#text.slice(this.#at, this.#at + 6));
    if (rest === null || high < 0xd800 || high > 0xdbff) throw new Unsure('half a character');
    this.#at += 6;
    return String.fromCharCode(high, Number.parseInt(rest[1]!, 16));
  }
}

/** The words of a program. Throws Unsure where jq might see it differently. */
export function tokenize(text: string): readonly Token[] {
  return new Lexer(text).tokens(false);
}
