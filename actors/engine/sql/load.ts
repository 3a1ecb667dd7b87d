/** PostgreSQL's own parser, in WebAssembly. It takes some 20 ms and 4 MB to load, so whoever compiles statements loads it first. */
import type { ParseResult, ScanToken } from 'libpg-query';

interface Parser {
  readonly parseSync: (sql: string) => ParseResult;
  readonly scanSync: (sql: string) => { readonly tokens: readonly ScanToken[] };
}

let loaded: Parser | null = null;

/** Loads the parser, once for each thread. Whoever calls `compileSql` must have waited for this. */
export async function loadSqlParser(): Promise<void> {
  if (loaded !== null) return;
  const library = await import('libpg-query');
  await library.loadModule();
  loaded = library;
}

/** The parser of this thread. */
export function sqlParser(): Parser {
  if (loaded === null) throw new Error('loadSqlParser() comes before compileSql()');
  return loaded;
}
