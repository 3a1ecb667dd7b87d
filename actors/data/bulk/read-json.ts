/**
 * A JSON array of objects, element by element: this finds where each ends, the strict parser reads it. Only a comma may stand between two
 * elements; an element that is no object is reported and does not stop the others.
 */
import { limits } from '#config/limits.ts';
import { parseExactJson } from '#actors/kit/json.ts';
import { FormatFault, lineOf, type Line, type LineReader } from './line.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN = 0x5b;
const CLOSE = 0x5d;
const BRACE = 0x7b;
const BRACE_END = 0x7d;
const NEWLINE = 0x0a;

type Place = 'before' | 'first' | 'element' | 'inside' | 'after' | 'over';

export class JsonReader implements LineReader {
  line = 1;
  row = 1;
  #place: Place = 'before';
  /** The current element, as far as earlier pieces held it. */
  #rest = '';
  #depth = 0;
  #quoted = false;
  #escaped = false;
  #began = 1;

  read(text: string): Line[] {
    const lines: Line[] = [];
    let from = 0;
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code === NEWLINE) this.line++;
      if (this.#place === 'inside') {
        if (!this.#ends(code)) continue;
        const scalar = this.#depth < 0;
        this.#take(this.#rest + text.slice(from, scalar ? at : at + 1), lines);
        if (scalar) this.#between(code);
      } else if (!isBlank(code) && this.#between(code)) from = at;
    }
    if (this.#place !== 'inside') return lines;
    this.#rest += text.slice(from);
    if (this.#rest.length > limits.data.importRowCharsMax) throw this.#fault(tooLong());
    return lines;
  }

  end(): Line[] {
    if (this.#place === 'before') throw this.#fault('the data is empty; an array of objects was expected');
    if (this.#place !== 'over') throw this.#fault('the data ends inside the array');
    return [];
  }

  /** A character between elements. True when an element begins with it. */
  #between(code: number): boolean {
    switch (this.#place) {
      case 'before':
        if (code !== OPEN) throw this.#fault('an array of objects was expected');
        this.#place = 'first';
        return false;
      case 'after':
        if (code === CLOSE) this.#place = 'over';
        else if (code === COMMA) this.#place = 'element';
        else throw this.#fault('a comma or the end of the array was expected');
        return false;
      case 'over':
        throw this.#fault('there is more data after the end of the array');
      default:
        return this.#begin(code);
    }
  }

  #begin(code: number): boolean {
    if (code === CLOSE && this.#place === 'first') {
      this.#place = 'over';
      return false;
    }
    if (code === COMMA || code === CLOSE) throw this.#fault('an object was expected');
    this.#place = 'inside';
    this.#began = this.line;
    this.#quoted = code === QUOTE;
    this.#escaped = false;
    // Below 0: a number or a word, which ends before the next character.
    this.#depth = code === BRACE || code === OPEN ? 1 : this.#quoted ? 0 : -1;
    return true;
  }

  /** Whether the element under way ends with this character, or before it when it is a scalar. */
  #ends(code: number): boolean {
    if (this.#quoted) {
      if (this.#escaped) this.#escaped = false;
      else if (code === BACKSLASH) this.#escaped = true;
      else if (code === QUOTE) {
        this.#quoted = false;
        return this.#depth === 0;
      }
      return false;
    }
    if (this.#depth < 0) return code === COMMA || code === CLOSE || isBlank(code);
    if (code === QUOTE) this.#quoted = true;
    else if (code === BRACE || code === OPEN) this.#depth++;
    else if (code === BRACE_END || code === CLOSE) return --this.#depth === 0;
    return false;
  }

  #take(text: string, lines: Line[]): void {
    if (text.length > limits.data.importRowCharsMax) throw this.#fault(tooLong());
    this.#rest = '';
    this.#place = 'after';
    this.row++;
    lines.push(lineOf(this.#began, parseExactJson(text)));
  }

  #fault(message: string): FormatFault {
    return new FormatFault(this.line, message);
  }
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === NEWLINE || code === 0x0d || code === 0x09;
}

function tooLong(): string {
  return `a row may have at most ${limits.data.importRowCharsMax} characters`;
}
