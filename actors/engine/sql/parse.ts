/** From the text of a statement to PostgreSQL's syntax tree, with `:name` parameters numbered in the order of their first use. */
import type { Node, ScanToken } from 'libpg-query';
import { limits } from '#config/limits.ts';
import { sqlParser } from './load.ts';
import { Places, type Replacement, type SqlSource } from './place.ts';

export interface ParsedSql {
  readonly node: Node;
  /** Names of the parameters; `$1` is the first. */
  readonly parameters: readonly string[];
  readonly places: Places;
}

const PARAMETER_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Parses exactly one statement. Throws SqlDefinitionError at a syntax error, and at a second statement. */
export function parseSql(text: string, source: SqlSource): ParsedSql {
  const written = new Places(text, source);
  if (text.length > limits.sql.textCharsMax)
    throw written.fault(0, `the statement is longer than ${limits.sql.textCharsMax} characters`, 'split the action');
  if (!text.isWellFormed() || text.includes('\0'))
    throw written.fault(0, 'the statement is not well-formed text', 'save the file as UTF-8 without NUL');
  if (text.trim() === '') throw written.fault(0, 'there is no statement', 'write one');
  const { sql, parameters, replaced } = numbered(text, tokensOf(text, written), written);
  const places = new Places(text, source, replaced);
  return { node: onlyStatement(sql, places), parameters, places };
}

function tokensOf(text: string, places: Places): readonly ScanToken[] {
  try {
    return sqlParser().scanSync(text).tokens;
  } catch (error) {
    throw syntaxFault(error, text, places);
  }
}

/** Replaces `:name` parameters by numbers. Only a colon token with a name token right behind it is one: texts, comments, `::` and quoted names stay. */
function numbered(
  text: string,
  tokens: readonly ScanToken[],
  places: Places,
): { sql: string; parameters: string[]; replaced: Replacement[] } {
  const bytes = Buffer.from(text);
  const parameters: string[] = [];
  const replaced: Replacement[] = [];
  const parts: Buffer[] = [];
  let copied = 0;
  let length = 0;
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i]!;
    if (token.tokenName === 'PARAM')
      throw places.fault(token.start, `${token.text} is not a parameter here`, 'write :name and declare it in params');
    const name = parameterName(bytes, token, tokens[i + 1]);
    if (name === null) continue;
    if (!parameters.includes(name)) parameters.push(name);
    const number = Buffer.from(` $${parameters.indexOf(name) + 1} `);
    const before = bytes.subarray(copied, token.start);
    parts.push(before, number);
    const written = 1 + name.length;
    replaced.push({ at: length + before.length, length: number.length, from: token.start, written });
    length += before.length + number.length;
    copied = token.start + written;
  }
  parts.push(bytes.subarray(copied));
  return { sql: Buffer.concat(parts).toString(), parameters, replaced };
}

function parameterName(bytes: Buffer, colon: ScanToken, next: ScanToken | undefined): string | null {
  if (next === undefined || next.start !== colon.end || colon.end !== colon.start + 1) return null;
  if (bytes[colon.start] !== 0x3a) return null;
  const name = bytes.subarray(next.start, next.end).toString();
  return PARAMETER_NAME.test(name) ? name : null;
}

function onlyStatement(sql: string, places: Places): Node {
  let statements;
  try {
    statements = sqlParser().parseSync(sql).stmts ?? [];
  } catch (error) {
    throw syntaxFault(error, sql, places);
  }
  const [first, second] = statements;
  if (first?.stmt === undefined) throw places.fault(0, 'there is no statement', 'write one');
  if (second !== undefined)
    throw places.fault(second.stmt_location ?? 0, 'a second statement', 'an action is one statement: declare another');
  return first.stmt;
}

/** The parser's error with its place: errors count characters, the tree counts bytes. */
function syntaxFault(error: unknown, sql: string, places: Places): Error {
  const { message, sqlDetails } = error as { message: string; sqlDetails?: { cursorPosition: number } };
  const characters = Array.from(sql)
    .slice(0, Math.max(0, sqlDetails?.cursorPosition ?? 0))
    .join('');
  return places.fault(Buffer.byteLength(characters), message, 'mend the statement (PostgreSQL grammar)');
}
