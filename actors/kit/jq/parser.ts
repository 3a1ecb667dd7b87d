/**
 * The grammar of jq 1.8 (its manual, and operator precedence as documented there): a recursive descent. It takes only what it is
 * certain of; for everything else, faulty programs included, it throws Unsure and the reference tier is asked.
 */
import { Unsure } from './faults.ts';
import { tokenize } from './lexer.ts';
import type { Token } from './lexer.ts';
import type { Ast, BinaryOperator, Definition, ObjectEntry, Pattern, PatternEntry, UpdateOperator } from './ast.ts';

const IDENTITY: Ast = { kind: 'identity' };
const DEPTH_MAX = 200;

const CONSTANTS: ReadonlyMap<string, null | boolean> = new Map([
  ['null', null],
  ['true', true],
  ['false', false],
]);
const UPDATES: ReadonlySet<string> = new Set(['=', '|=', '+=', '-=', '*=', '/=', '%=', '//=']);
const COMPARISONS: ReadonlySet<string> = new Set(['==', '!=', '<', '<=', '>', '>=']);

class Parser {
  readonly #tokens: readonly Token[];
  #at = 0;
  #depth = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  program(): Ast {
    const ast = this.#pipe();
    if (this.#at < this.#tokens.length) this.#fail();
    return ast;
  }

  definitions(): readonly Definition[] {
    const out: Definition[] = [];
    while (this.#isKeyword('def')) out.push(this.#definition());
    if (this.#at < this.#tokens.length) this.#fail();
    return out;
  }

  #fail(): never {
    throw new Unsure(`what stands at word ${this.#at}`);
  }

  #peek(): Token | undefined {
    return this.#tokens[this.#at];
  }

  #next(): Token {
    return this.#tokens[this.#at++] ?? this.#fail();
  }

  #is(symbol: string): boolean {
    const token = this.#peek();
    return token?.kind === 'symbol' && token.text === symbol;
  }

  #isKeyword(word: string): boolean {
    const token = this.#peek();
    return token?.kind === 'keyword' && token.text === word;
  }

  #accept(symbol: string): boolean {
    if (!this.#is(symbol)) return false;
    this.#at++;
    return true;
  }

  #expect(symbol: string): void {
    if (!this.#accept(symbol)) this.#fail();
  }

  #acceptKeyword(word: string): boolean {
    if (!this.#isKeyword(word)) return false;
    this.#at++;
    return true;
  }

  #expectKeyword(word: string): void {
    if (!this.#acceptKeyword(word)) this.#fail();
  }

  #variable(): string {
    const token = this.#next();
    return token.kind === 'variable' ? token.text : this.#fail();
  }

  /** `|`, `def` and `as` reach to the end of their brackets. */
  #pipe(): Ast {
    if (++this.#depth > DEPTH_MAX) this.#fail();
    const ast = this.#pipeBody();
    this.#depth--;
    return ast;
  }

  #pipeBody(): Ast {
    if (this.#isKeyword('def')) {
      const def = this.#definition();
      return { kind: 'def', def, rest: this.#pipe() };
    }
    if (this.#acceptKeyword('label')) {
      const name = this.#variable();
      this.#expect('|');
      return { kind: 'label', name, body: this.#pipe() };
    }
    const left = this.#comma();
    return this.#accept('|') ? { kind: 'pipe', left, right: this.#pipe() } : left;
  }

  #definition(): Definition {
    this.#expectKeyword('def');
    const token = this.#next();
    if (token.kind !== 'name') this.#fail();
    const params: Definition['params'][number][] = [];
    if (this.#accept('(')) {
      do {
        const param = this.#next();
        if (param.kind !== 'name' && param.kind !== 'variable') this.#fail();
        params.push({ name: param.text, isValue: param.kind === 'variable' });
      } while (this.#accept(';'));
      this.#expect(')');
    }
    this.#expect(':');
    const body = this.#pipe();
    this.#expect(';');
    return { name: token.text, params, body };
  }

  #comma(): Ast {
    let left = this.#binding();
    while (this.#accept(',')) left = { kind: 'comma', left, right: this.#binding() };
    return left;
  }

  /** Operators bind closer than `as`, which takes the rest of the pipe with it. */
  #binding(): Ast {
    const source = this.#alternative();
    if (!this.#acceptKeyword('as')) return source;
    const pattern = this.#pattern();
    this.#expect('|');
    return { kind: 'as', source, pattern, body: this.#pipe() };
  }

  /** `//` binds to the right, and looser than assignment. */
  #alternative(): Ast {
    const left = this.#update();
    if (!this.#accept('//')) return left;
    return { kind: 'alternative', left, right: this.#alternative() };
  }

  #update(): Ast {
    const left = this.#or();
    const token = this.#peek();
    if (token?.kind !== 'symbol' || !UPDATES.has(token.text)) return left;
    this.#at++;
    const right = this.#or();
    const next = this.#peek();
    if (next?.kind === 'symbol' && UPDATES.has(next.text)) this.#fail();
    return { kind: 'update', op: token.text as UpdateOperator, left, right };
  }

  #or(): Ast {
    let left = this.#and();
    while (this.#acceptKeyword('or')) left = { kind: 'or', left, right: this.#and() };
    return left;
  }

  #and(): Ast {
    let left = this.#comparison();
    while (this.#acceptKeyword('and')) left = { kind: 'and', left, right: this.#comparison() };
    return left;
  }

  #comparison(): Ast {
    const left = this.#sum();
    const token = this.#peek();
    if (token?.kind !== 'symbol' || !COMPARISONS.has(token.text)) return left;
    this.#at++;
    const right = this.#sum();
    const next = this.#peek();
    if (next?.kind === 'symbol' && COMPARISONS.has(next.text)) this.#fail();
    return { kind: 'binary', op: token.text as BinaryOperator, left, right };
  }

  #sum(): Ast {
    return this.#leftAssociative(['+', '-'], () => this.#product());
  }

  #product(): Ast {
    return this.#leftAssociative(['*', '/', '%'], () => this.#unary());
  }

  #leftAssociative(operators: readonly string[], operand: () => Ast): Ast {
    let left = operand();
    for (let token = this.#peek(); token?.kind === 'symbol' && operators.includes(token.text);) {
      this.#at++;
      left = { kind: 'binary', op: token.text as BinaryOperator, left, right: operand() };
      token = this.#peek();
    }
    return left;
  }

  #unary(): Ast {
    return this.#accept('-') ? { kind: 'negate', body: this.#postTerm() } : this.#postTerm();
  }

  #postTerm(): Ast {
    const bracketed = this.#is('(');
    let term = this.#term();
    const whole = bracketed ? term : null;
    for (;;) {
      const token = this.#peek();
      if (token?.kind === 'field') {
        this.#at++;
        term = indexBy(term, token.text);
      } else if (this.#is('.')) {
        this.#at++;
        term = this.#afterDot(term);
      } else if (this.#is('[')) term = this.#bracket(term);
      else if (this.#accept('?')) term = quietly(term, whole);
      else return term;
    }
  }

  /** `."name"` and `.[…]` behind a term. */
  #afterDot(target: Ast): Ast {
    if (this.#peek()?.kind === 'string') return { kind: 'index', target, key: this.#string(null) };
    return this.#is('[') ? this.#bracket(target) : this.#fail();
  }

  #bracket(target: Ast): Ast {
    this.#expect('[');
    if (this.#accept(']')) return { kind: 'iterate', target };
    const from = this.#is(':') ? null : this.#pipe();
    if (!this.#accept(':')) {
      this.#expect(']');
      return { kind: 'index', target, key: from! };
    }
    const to = this.#is(']') ? null : this.#pipe();
    this.#expect(']');
    return from === null && to === null ? this.#fail() : { kind: 'slice', target, from, to };
  }

  #term(): Ast {
    const token = this.#next();
    switch (token.kind) {
      case 'number':
        return { kind: 'literal', value: Number(token.text), text: token.text };
      case 'string':
        this.#at--;
        return this.#string(null);
      case 'format':
        if (this.#peek()?.kind === 'string') return this.#string(token.text.slice(1));
        return { kind: 'format', name: token.text.slice(1) };
      case 'field':
        return indexBy(IDENTITY, token.text);
      case 'variable':
        return token.text === '__loc__'
          ? { kind: 'location', line: token.line }
          : { kind: 'variable', name: token.text };
      case 'name':
        return this.#call(token.text);
      case 'keyword':
        return this.#keyword(token.text);
      case 'symbol':
        return this.#symbol(token.text);
    }
  }

  #call(name: string): Ast {
    if (name === 'break' && this.#peek()?.kind === 'variable') return { kind: 'break', name: this.#variable() };
    const args: Ast[] = [];
    if (CONSTANTS.has(name) && !this.#is('(')) return { kind: 'literal', value: CONSTANTS.get(name) ?? null };
    if (this.#accept('(')) {
      do args.push(this.#pipe());
      while (this.#accept(';'));
      this.#expect(')');
    }
    return { kind: 'call', name, args };
  }

  #symbol(symbol: string): Ast {
    switch (symbol) {
      case '.':
        return this.#peek()?.kind === 'string' || this.#is('[') ? this.#afterDot(IDENTITY) : IDENTITY;
      case '..':
        return { kind: 'recurse' };
      case '(': {
        const inner = this.#pipe();
        this.#expect(')');
        return inner;
      }
      case '[': {
        if (this.#accept(']')) return { kind: 'array', body: null };
        const body = this.#pipe();
        this.#expect(']');
        return { kind: 'array', body };
      }
      case '{':
        return this.#object();
      default:
        return this.#fail();
    }
  }

  #keyword(word: string): Ast {
    switch (word) {
      case 'if':
        return this.#condition();
      case 'try':
        return this.#try();
      case 'reduce':
      case 'foreach':
        return this.#loop(word);
      default:
        return this.#fail();
    }
  }

  #condition(): Ast {
    const condition = this.#pipe();
    this.#expectKeyword('then');
    const yes = this.#pipe();
    if (this.#acceptKeyword('end')) return { kind: 'if', condition, yes, no: null };
    if (this.#acceptKeyword('elif')) return { kind: 'if', condition, yes, no: this.#condition() };
    this.#expectKeyword('else');
    const no = this.#pipe();
    this.#expectKeyword('end');
    return { kind: 'if', condition, yes, no };
  }

  #try(): Ast {
    const body = this.#postTerm();
    return { kind: 'try', body, handler: this.#acceptKeyword('catch') ? this.#postTerm() : null };
  }

  #loop(kind: 'reduce' | 'foreach'): Ast {
    const source = this.#postTerm();
    this.#expectKeyword('as');
    const pattern = this.#pattern();
    this.#expect('(');
    const init = this.#pipe();
    this.#expect(';');
    const update = this.#pipe();
    const extract = kind === 'foreach' && this.#accept(';') ? this.#pipe() : null;
    this.#expect(')');
    if (kind === 'reduce') return { kind, source, pattern, init, update };
    return { kind, source, pattern, init, update, extract };
  }

  #string(format: string | null): Ast {
    const token = this.#next();
    if (token.kind !== 'string') this.#fail();
    if (token.parts.length === 1) return { kind: 'literal', value: token.parts[0] as string };
    const parts = token.parts.map((part) => (typeof part === 'string' ? part : new Parser(part).program()));
    return { kind: 'string', format, parts };
  }

  #object(): Ast {
    const entries: ObjectEntry[] = [];
    if (this.#accept('}')) return { kind: 'object', entries };
    do entries.push(this.#entry());
    while (this.#accept(','));
    this.#expect('}');
    return { kind: 'object', entries };
  }

  #entry(): ObjectEntry {
    const token = this.#next();
    if (token.kind === 'variable') {
      if (token.text === '__loc__') return entryOf('__loc__', { kind: 'location', line: token.line });
      return entryOf(token.text, { kind: 'variable', name: token.text });
    }
    if (token.kind === 'symbol' && token.text === '(') {
      const key = this.#pipe();
      this.#expect(')');
      this.#expect(':');
      return { key, value: this.#entryValue() };
    }
    const key = this.#entryKey(token);
    if (this.#accept(':')) return { key, value: this.#entryValue() };
    return { key, value: { kind: 'index', target: IDENTITY, key } };
  }

  #entryKey(token: Token): Ast {
    if (token.kind === 'name' || token.kind === 'keyword') return { kind: 'literal', value: token.text };
    if (token.kind === 'string') {
      this.#at--;
      return this.#string(null);
    }
    return this.#fail();
  }

  /** A value ends at a comma; `|` joins without brackets. */
  #entryValue(): Ast {
    const left = this.#unary();
    const token = this.#peek();
    const isEnd = token?.kind === 'symbol' && (token.text === ',' || token.text === '}');
    if (isEnd) return left;
    if (!this.#accept('|')) this.#fail();
    return { kind: 'pipe', left, right: this.#entryValue() };
  }

  #pattern(): Pattern {
    const token = this.#next();
    if (token.kind === 'variable') return { kind: 'variable', name: token.text };
    if (token.kind !== 'symbol') this.#fail();
    if (token.text === '[') {
      const items: Pattern[] = [];
      do items.push(this.#pattern());
      while (this.#accept(','));
      this.#expect(']');
      return this.#single({ kind: 'array', items });
    }
    if (token.text !== '{') this.#fail();
    const entries: PatternEntry[] = [];
    do entries.push(this.#patternEntry());
    while (this.#accept(','));
    this.#expect('}');
    return this.#single({ kind: 'object', entries });
  }

  /** Destructuring alternatives are the reference tier's. */
  #single(pattern: Pattern): Pattern {
    return this.#is('?//') ? this.#fail() : pattern;
  }

  #patternEntry(): PatternEntry {
    const token = this.#next();
    if (token.kind === 'variable') {
      const key: Ast = { kind: 'literal', value: token.text };
      return { key, binds: token.text, pattern: this.#accept(':') ? this.#pattern() : null };
    }
    const key = token.kind === 'symbol' && token.text === '(' ? this.#bracketed() : this.#entryKey(token);
    this.#expect(':');
    return { key, binds: null, pattern: this.#pattern() };
  }

  #bracketed(): Ast {
    const inner = this.#pipe();
    this.#expect(')');
    return inner;
  }
}

/** Behind a step `?` silences that step, behind anything else (what stands in brackets, too) all of it. */
function quietly(term: Ast, whole: Ast | null): Ast {
  const isKind = term.kind === 'index' || term.kind === 'slice' || term.kind === 'iterate';
  return isKind && term !== whole && term.quiet === undefined
    ? { ...term, quiet: true }
    : { kind: 'try', body: term, handler: null };
}

function indexBy(target: Ast, name: string): Ast {
  return { kind: 'index', target, key: { kind: 'literal', value: name } };
}

function entryOf(name: string, value: Ast): ObjectEntry {
  return { key: { kind: 'literal', value: name }, value };
}

/** The tree of a program. Throws Unsure for what is not certain. */
export function parseProgram(text: string): Ast {
  return new Parser(tokenize(text)).program();
}

/** A list of `def`s, as our own builtins are written. */
export function parseDefinitions(text: string): readonly Definition[] {
  return new Parser(tokenize(text)).definitions();
}
