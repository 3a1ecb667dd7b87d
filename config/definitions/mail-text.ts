/** Checks one text of a mail template (Mustache: names and sections over names, nothing that runs). */
import Mustache from 'mustache';
import { suggestion } from '#config/values/suggest.ts';
import { limits } from '../limits.ts';
import { placeholdersOf, type MailKind } from './mail-kinds.ts';

export interface MailFault {
  readonly message: string;
  readonly mend: string;
}

/** What `Mustache.parse` gives: the token's type, its name or text, its place, and the tokens within a section. */
type Token = readonly [type: string, value: string, from: number, to: number, within?: unknown];

const PLAIN = new Set(['text', '!']);
/** What may stand within a tag: values that the node itself makes. */
const WITHIN_TAGS =
  /=\s*(?:"[^"{}]*\{\{\s*(?:link|language)\s*\}\}[^"{}]*"|'[^'{}]*\{\{\s*(?:link|language)\s*\}\}[^'{}]*')/g;
const TAGS = /<[^<>]*>/g;
/** Elements whose text is no text: escaping for HTML does not make a value safe there. */
const RAW = /<(script|style|template|iframe|noscript)\b[\s\S]*?(?:<\/\1\s*>|$)/gi;

/** The mail that a text belongs to, in words, and the names that it may show. */
export interface MailWords {
  /** Follows "a". */
  readonly of: string;
  readonly names: readonly string[];
}

const wordsOf = (kind: MailKind): MailWords => ({ of: `${kind} mail`, names: placeholdersOf(kind) });

/** What is wrong with a text of identity's mails, or null. */
export const mailTextFault = (kind: MailKind, text: string): MailFault | null => textFaultOf(wordsOf(kind), text);

/** The same for HTML, where a value must not become a tag, an attribute, a style or a script. */
export const mailHtmlFault = (kind: MailKind, html: string): MailFault | null => htmlFaultOf(wordsOf(kind), html);

/** What is wrong with a text, or null. */
export function textFaultOf(words: MailWords, text: string): MailFault | null {
  if (text.length > limits.mail.templateCharsMax)
    return { message: `longer than ${limits.mail.templateCharsMax} characters`, mend: 'shorten it' };
  const tokens = tokensOf(text);
  if (!Array.isArray(tokens)) return tokens;
  const all = flat(tokens);
  const named = all.filter(([type]) => !PLAIN.has(type));
  if (named.length > limits.mail.placeholdersMax)
    return { message: `more than ${limits.mail.placeholdersMax} placeholders`, mend: 'remove some' };
  for (const token of named) {
    const fault = tokenFault(words, token);
    if (fault !== null) return fault;
  }
  return null;
}

/** What is wrong with HTML, or null. */
export function htmlFaultOf(words: MailWords, html: string): MailFault | null {
  const fault = textFaultOf(words, html);
  if (fault !== null) return fault;
  if (/<script\b/i.test(html)) return { message: 'mails run no scripts', mend: 'remove <script>' };
  for (const [raw] of html.matchAll(RAW))
    if (raw.includes('{{'))
      return { message: `a placeholder within ${raw.slice(0, 20)}…`, mend: 'move it into the text' };
  for (const [tag] of html.matchAll(TAGS))
    if (tag.replaceAll(WITHIN_TAGS, '').includes('{{'))
      return {
        message: `a placeholder within the tag ${tag.slice(0, 60)}`,
        mend: 'within a tag only {{link}} and {{language}} may stand, in a quoted attribute',
      };
  return null;
}

/** Whether a text shows a name. */
export function shows(text: string, name: string): boolean {
  const tokens = tokensOf(text);
  return Array.isArray(tokens) && flat(tokens).some(([type, value]) => type === 'name' && value === name);
}

function tokensOf(text: string): Token[] | MailFault {
  try {
    return new Mustache.Writer().parse(text) as Token[];
  } catch (error) {
    return { message: `not a template: ${(error as Error).message}`, mend: 'write {{name}}, and {{#name}}…{{/name}}' };
  }
}

function flat(tokens: readonly Token[]): Token[] {
  return tokens.flatMap((token) => [token, ...(Array.isArray(token[4]) ? flat(token[4] as Token[]) : [])]);
}

function tokenFault({ of, names }: MailWords, [type, value]: Token): MailFault | null {
  if (type === '&') return { message: `{{{${value}}}} would not be escaped`, mend: `write {{${value}}}` };
  if (type === '>') return { message: `{{>${value}}} includes another template`, mend: 'write its text here' };
  if (type === '=') return { message: 'other delimiters than {{ and }}', mend: 'keep {{ and }}' };
  if (names.includes(value)) return null;
  return { message: `a ${of} has no {{${value}}}`, mend: suggestion(value, names) };
}
