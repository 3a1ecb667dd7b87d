/** PostgreSQL's own parser, in WebAssembly. It takes some 20 ms and 4 MB to load, so it is loaded only on threads that compile statements. */
import type { ParseResult, ScanToken } from 'libpg-query';

interface Parser {
  readonly parseSync: (sql: string) => ParseResult;
  readonly scanSync: (sql: string) => { readonly tokens: readonly ScanToken[] };
}

let loaded: Parser | null = null;

/** Loads the parser, once for each thread. Await it before a call of `compileSql`. */
export async function loadSqlParser(): Promise<void> {
  if (loaded !== null) return;
  const library = await import('libpg-query');
  await library.loadModule();
  loaded = library;
}

/** The parser of this thread. */
export function sqlParser(): Parser {
  if (loaded === null) throw new Error('await loadSqlParser() before compileSql()');
  return loaded;
}
