/**
 * The grammar of jq 1.8 (its manual, and operator precedence as documented there): a recursive descent. It takes only what it is
 * certain of; for everything else, faulty programs included, it throws Unsure and the reference tier is asked.
 */
import { Cursor } from './cursor.ts';
import { tokenize, type Token } from './lexer.ts';
import { COMPARISONS, CONSTANTS, entryOf, indexBy, quietly, UPDATES } from './steps.ts';
import type { Ast, BinaryOperator, Definition, ObjectEntry, Pattern, PatternEntry, UpdateOperator } from './ast.ts';

const IDENTITY: Ast = { kind: 'identity' };
const DEPTH_MAX = 200;

class Parser {
  readonly #cursor: Cursor;
  #depth = 0;

  constructor(tokens: readonly Token[]) {
    this.#cursor = new Cursor(tokens);
  }

  program(): Ast {
    const ast = this.#pipe();
    if (!this.#cursor.atEnd) this.#cursor.fail();
    return ast;
  }

  definitions(): readonly Definition[] {
    const out: Definition[] = [];
    while (this.#cursor.isKeyword('def')) out.push(this.#definition());
    if (!this.#cursor.atEnd) this.#cursor.fail();
    return out;
  }

  /** `|`, `def` and `as` reach to the end of their brackets. */
  #pipe(): Ast {
    if (++this.#depth > DEPTH_MAX) this.#cursor.fail();
    const ast = this.#pipeBody();
    this.#depth--;
    return ast;
  }

  #pipeBody(): Ast {
    if (this.#cursor.isKeyword('def')) {
      const def = this.#definition();
      return { kind: 'def', def, rest: this.#pipe() };
    }
    if (this.#cursor.acceptKeyword('label')) {
      const name = this.#cursor.variable();
      this.#cursor.expect('|');
      return { kind: 'label', name, body: this.#pipe() };
    }
    const left = this.#comma();
    return this.#cursor.accept('|') ? { kind: 'pipe', left, right: this.#pipe() } : left;
  }

  #definition(): Definition {
    this.#cursor.expectKeyword('def');
    const token = this.#cursor.next();
    if (token.kind !== 'name') this.#cursor.fail();
    const params: Definition['params'][number][] = [];
    if (this.#cursor.accept('(')) {
      do {
        const param = this.#cursor.next();
        if (param.kind !== 'name' && param.kind !== 'variable') this.#cursor.fail();
        params.push({ name: param.text, isValue: param.kind === 'variable' });
      } while (this.#cursor.accept(';'));
      this.#cursor.expect(')');
    }
    this.#cursor.expect(':');
    const body = this.#pipe();
    this.#cursor.expect(';');
    return { name: token.text, params, body };
  }

  #comma(): Ast {
    let left = this.#binding();
    while (this.#cursor.accept(',')) left = { kind: 'comma', left, right: this.#binding() };
    return left;
  }

  /** Operators bind closer than `as`, which takes the rest of the pipe with it. */
  #binding(): Ast {
    const source = this.#alternative();
    if (!this.#cursor.acceptKeyword('as')) return source;
    const pattern = this.#pattern();
    this.#cursor.expect('|');
    return { kind: 'as', source, pattern, body: this.#pipe() };
  }

  /** `//` binds to the right, and looser than assignment. */
  #alternative(): Ast {
    const left = this.#update();
    if (!this.#cursor.accept('//')) return left;
    return { kind: 'alternative', left, right: this.#alternative() };
  }

  #update(): Ast {
    const left = this.#or();
    const token = this.#cursor.peek();
    if (token?.kind !== 'symbol' || !UPDATES.has(token.text)) return left;
    this.#cursor.next();
    const right = this.#or();
    const next = this.#cursor.peek();
    if (next?.kind === 'symbol' && UPDATES.has(next.text)) this.#cursor.fail();
    return { kind: 'update', op: token.text as UpdateOperator, left, right };
  }

  #or(): Ast {
    let left = this.#and();
    while (this.#cursor.acceptKeyword('or')) left = { kind: 'or', left, right: this.#and() };
    return left;
  }

  #and(): Ast {
    let left = this.#comparison();
    while (this.#cursor.acceptKeyword('and')) left = { kind: 'and', left, right: this.#comparison() };
    return left;
  }

  #comparison(): Ast {
    const left = this.#sum();
    const token = this.#cursor.peek();
    if (token?.kind !== 'symbol' || !COMPARISONS.has(token.text)) return left;
    this.#cursor.next();
    const right = this.#sum();
    const next = this.#cursor.peek();
    if (next?.kind === 'symbol' && COMPARISONS.has(next.text)) this.#cursor.fail();
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
    for (let token = this.#cursor.peek(); token?.kind === 'symbol' && operators.includes(token.text);) {
      this.#cursor.next();
      left = { kind: 'binary', op: token.text as BinaryOperator, left, right: operand() };
      token = this.#cursor.peek();
    }
    return left;
  }

  #unary(): Ast {
    return this.#cursor.accept('-') ? { kind: 'negate', body: this.#postTerm() } : this.#postTerm();
  }

  #postTerm(): Ast {
    const bracketed = this.#cursor.is('(');
    let term = this.#term();
    const whole = bracketed ? term : null;
    for (;;) {
      const token = this.#cursor.peek();
      if (token?.kind === 'field') {
        this.#cursor.next();
        term = indexBy(term, token.text);
      } else if (this.#cursor.is('.')) {
        this.#cursor.next();
        term = this.#afterDot(term);
      } else if (this.#cursor.is('[')) term = this.#bracket(term);
      else if (this.#cursor.accept('?')) term = quietly(term, whole);
      else return term;
    }
  }

  /** `."name"` and `.[…]` behind a term. */
  #afterDot(target: Ast): Ast {
    if (this.#cursor.peek()?.kind === 'string') return { kind: 'index', target, key: this.#string(null) };
    return this.#cursor.is('[') ? this.#bracket(target) : this.#cursor.fail();
  }

  #bracket(target: Ast): Ast {
    this.#cursor.expect('[');
    if (this.#cursor.accept(']')) return { kind: 'iterate', target };
    const from = this.#cursor.is(':') ? null : this.#pipe();
    if (!this.#cursor.accept(':')) {
      this.#cursor.expect(']');
      return { kind: 'index', target, key: from! };
    }
    const to = this.#cursor.is(']') ? null : this.#pipe();
    this.#cursor.expect(']');
    return from === null && to === null ? this.#cursor.fail() : { kind: 'slice', target, from, to };
  }

  #term(): Ast {
    const token = this.#cursor.next();
    switch (token.kind) {
      case 'number':
        return { kind: 'literal', value: Number(token.text), text: token.text };
      case 'string':
        this.#cursor.back();
        return this.#string(null);
      case 'format':
        if (this.#cursor.peek()?.kind === 'string') return this.#string(token.text.slice(1));
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
    if (name === 'break' && this.#cursor.peek()?.kind === 'variable')
      return { kind: 'break', name: this.#cursor.variable() };
    const args: Ast[] = [];
    if (CONSTANTS.has(name) && !this.#cursor.is('(')) return { kind: 'literal', value: CONSTANTS.get(name) ?? null };
    if (this.#cursor.accept('(')) {
      do args.push(this.#pipe());
      while (this.#cursor.accept(';'));
      this.#cursor.expect(')');
    }
    return { kind: 'call', name, args };
  }

  #symbol(symbol: string): Ast {
    switch (symbol) {
      case '.':
        return this.#cursor.peek()?.kind === 'string' || this.#cursor.is('[') ? this.#afterDot(IDENTITY) : IDENTITY;
      case '..':
        return { kind: 'recurse' };
      case '(':
        return this.#bracketed();
      case '[': {
        if (this.#cursor.accept(']')) return { kind: 'array', body: null };
        const body = this.#pipe();
        this.#cursor.expect(']');
        return { kind: 'array', body };
      }
      case '{':
        return this.#object();
      default:
        return this.#cursor.fail();
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
        return this.#cursor.fail();
    }
  }

  #condition(): Ast {
    const condition = this.#pipe();
    this.#cursor.expectKeyword('then');
    const yes = this.#pipe();
    if (this.#cursor.acceptKeyword('end')) return { kind: 'if', condition, yes, no: null };
    if (this.#cursor.acceptKeyword('elif')) return { kind: 'if', condition, yes, no: this.#condition() };
    this.#cursor.expectKeyword('else');
    const no = this.#pipe();
    this.#cursor.expectKeyword('end');
    return { kind: 'if', condition, yes, no };
  }

  #try(): Ast {
    const body = this.#postTerm();
    return { kind: 'try', body, handler: this.#cursor.acceptKeyword('catch') ? this.#postTerm() : null };
  }

  #loop(kind: 'reduce' | 'foreach'): Ast {
    const source = this.#postTerm();
    this.#cursor.expectKeyword('as');
    const pattern = this.#pattern();
    this.#cursor.expect('(');
    const init = this.#pipe();
    this.#cursor.expect(';');
    const update = this.#pipe();
    const extract = kind === 'foreach' && this.#cursor.accept(';') ? this.#pipe() : null;
    this.#cursor.expect(')');
    if (kind === 'reduce') return { kind, source, pattern, init, update };
    return { kind, source, pattern, init, update, extract };
  }

  #string(format: string | null): Ast {
    const token = this.#cursor.next();
    if (token.kind !== 'string') this.#cursor.fail();
    if (token.parts.length === 1) return { kind: 'literal', value: token.parts[0] as string };
    const parts = token.parts.map((part) => (typeof part === 'string' ? part : new Parser(part).program()));
    return { kind: 'string', format, parts };
  }

  #object(): Ast {
    const entries: ObjectEntry[] = [];
    if (this.#cursor.accept('}')) return { kind: 'object', entries };
    do entries.push(this.#entry());
    while (this.#cursor.accept(','));
    this.#cursor.expect('}');
    return { kind: 'object', entries };
  }

  #entry(): ObjectEntry {
    const token = this.#cursor.next();
    if (token.kind === 'variable') {
      if (token.text === '__loc__') return entryOf('__loc__', { kind: 'location', line: token.line });
      return entryOf(token.text, { kind: 'variable', name: token.text });
    }
    if (token.kind === 'symbol' && token.text === '(') {
      const key = this.#bracketed();
      this.#cursor.expect(':');
      return { key, value: this.#entryValue() };
    }
    const key = this.#entryKey(token);
    if (this.#cursor.accept(':')) return { key, value: this.#entryValue() };
    return { key, value: { kind: 'index', target: IDENTITY, key } };
  }

  #entryKey(token: Token): Ast {
    if (token.kind === 'name' || token.kind === 'keyword') return { kind: 'literal', value: token.text };
    if (token.kind === 'string') {
      this.#cursor.back();
      return this.#string(null);
    }
    return this.#cursor.fail();
  }

  /** A value ends at a comma; `|` joins without brackets. */
  #entryValue(): Ast {
    const left = this.#unary();
    const token = this.#cursor.peek();
    const isEnd = token?.kind === 'symbol' && (token.text === ',' || token.text === '}');
    if (isEnd) return left;
    if (!this.#cursor.accept('|')) this.#cursor.fail();
    return { kind: 'pipe', left, right: this.#entryValue() };
  }

  #pattern(): Pattern {
    const token = this.#cursor.next();
    if (token.kind === 'variable') return { kind: 'variable', name: token.text };
    if (token.kind !== 'symbol') this.#cursor.fail();
    if (token.text === '[') {
      const items: Pattern[] = [];
      do items.push(this.#pattern());
      while (this.#cursor.accept(','));
      this.#cursor.expect(']');
      return this.#single({ kind: 'array', items });
    }
    if (token.text !== '{') this.#cursor.fail();
    const entries: PatternEntry[] = [];
    do entries.push(this.#patternEntry());
    while (this.#cursor.accept(','));
    this.#cursor.expect('}');
    return this.#single({ kind: 'object', entries });
  }

  /** Destructuring alternatives are the reference tier's. */
  #single(pattern: Pattern): Pattern {
    return this.#cursor.is('?//') ? this.#cursor.fail() : pattern;
  }

  #patternEntry(): PatternEntry {
    const token = this.#cursor.next();
    if (token.kind === 'variable') {
      const key: Ast = { kind: 'literal', value: token.text };
      return { key, binds: token.text, pattern: this.#cursor.accept(':') ? this.#pattern() : null };
    }
    const key = token.kind === 'symbol' && token.text === '(' ? this.#bracketed() : this.#entryKey(token);
    this.#cursor.expect(':');
    return { key, binds: null, pattern: this.#pattern() };
  }

  #bracketed(): Ast {
    const inner = this.#pipe();
    this.#cursor.expect(')');
    return inner;
  }
}

/** The tree of a program. Throws Unsure for what is not certain. */
export function parseProgram(text: string): Ast {
  return new Parser(tokenize(text)).program();
}

/** A list of `def`s, as our own builtins are written. */
export function parseDefinitions(text: string): readonly Definition[] {
  return new Parser(tokenize(text)).definitions();
}
