/** JSON lines: one object a line. A line that is none is reported and does not stop the others; an empty one is skipped. */
import { limits } from '#config/limits.ts';
import { parseExactJson } from '#actors/kit/json.ts';
import { FormatFault, lineOf, type Line, type LineReader } from './line.ts';

export class JsonlReader implements LineReader {
  line = 1;
  row = 1;
  #rest = '';

  read(text: string): Line[] {
    const parts = text.split('\n');
    const lines: Line[] = [];
    for (let i = 0; i < parts.length - 1; i++) {
      this.#take(i === 0 ? this.#rest + parts[0]! : parts[i]!, lines);
      this.line++;
    }
    this.#rest = parts.length === 1 ? this.#rest + text : parts[parts.length - 1]!;
    if (this.#rest.length > limits.data.importRowCharsMax) throw tooLong(this.line);
    return lines;
  }

  end(): Line[] {
    const lines: Line[] = [];
    this.#take(this.#rest, lines);
    return lines;
  }

  #take(text: string, lines: Line[]): void {
    if (text.length > limits.data.importRowCharsMax) throw tooLong(this.line);
    if (text.trim() === '') return;
    this.row++;
    lines.push(lineOf(this.line, parseExactJson(text)));
  }
}

function tooLong(line: number): FormatFault {
  return new FormatFault(line, `a row may have at most ${limits.data.importRowCharsMax} characters`);
}
