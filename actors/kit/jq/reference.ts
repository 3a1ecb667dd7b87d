/**
 * The reference tier: jq itself, in WebAssembly. Only in a job: a call cannot be interrupted, and costs milliseconds.
 * A program sees no environment and no files: it begins with an empty `$ENV`, so that `import` and `include` are syntax errors.
 */
import { loadJq, type Jq } from 'jq-wasm';
import { limits } from '#config/limits.ts';

/** On the program's first line, so that its lines keep their numbers. */
const PREFIX = '{} as $ENV | def env: {}; ';

export type Judged =
  | { readonly kind: 'body'; readonly text: string }
  /** It does not compile. */
  | { readonly kind: 'bad'; readonly message: string }
  /** It raised an error. */
  | { readonly kind: 'failed'; readonly message: string };

/** jq's exit codes: 3 for a program that does not compile, 5 for an error while it runs; `halt_error` may give any. */
const EXIT_COMPILE = 3;
const COMPILE_TRAILER = /jq: \d+ compile errors?\s*$/;

export class JqReference {
  #jq: Promise<Jq> | null = null;

  /** Loads the library, so that a deadline does not pay for it. */
  async warm(): Promise<void> {
    await (this.#jq ??= loadJq());
  }

  /** Whether the program compiles: it is given no input. The body is then `null`. */
  check(source: string): Promise<Judged> {
    return this.#call(source, '');
  }

  /** The program over one input, JSON text. */
  run(source: string, text: string): Promise<Judged> {
    return this.#call(source, text);
  }

  async #call(source: string, text: string): Promise<Judged> {
    const jq = await (this.#jq ??= loadJq());
    try {
      const { stdout, stderr, exitCode } = jq.raw(text, PREFIX + source, ['-c']);
      if (exitCode === EXIT_COMPILE && COMPILE_TRAILER.test(stderr))
        return { kind: 'bad', message: compileMessage(stderr) };
      if (exitCode !== 0) return { kind: 'failed', message: runtimeMessage(stderr) };
      if (stdout.length > limits.expressions.resultCharsMax)
        return { kind: 'failed', message: 'its results are too long' };
      return { kind: 'body', text: bodyOfLines(stdout) };
    } catch {
      // An instance that aborted once answers every later call with an abort.
      this.#jq = null;
      return { kind: 'failed', message: 'the program asked for more than jq can hold' };
    }
  }
}

function bodyOfLines(stdout: string): string {
  const lines = stdout.split('\n').filter((line) => line !== '');
  if (lines.length === 0) return 'null';
  return lines.length === 1 ? lines[0]! : `[${lines.join(',')}]`;
}

/** The first message, its column counted in the program as it was given. */
function compileMessage(stderr: string): string {
  const first = stderr
    .split('\n', 1)[0]!
    .replace(/^jq: error: /, '')
    .replace(/:$/, '');
  return first.replace(
    /line 1, column (\d+)/,
    (_, column: string) => `line 1, column ${Math.max(1, Number(column) - PREFIX.length)}`,
  );
}

/** What follows jq's own words; the library has trimmed it. */
function runtimeMessage(stderr: string): string {
  const text = stderr.slice(Math.max(0, stderr.lastIndexOf('jq: error (at ')));
  return text.replace(/^jq: error \(at [^)]*\)(?: \(not a string\))?: ?/, '');
}
