/** Mails in a product's own words: `mails/<kind>.<language>.yaml`. Source: docs/contract/identity-mails.md §1. */
import { basename } from 'node:path';
import { check } from '../check.ts';
import { limits } from '../limits.ts';
import { problemAt, type Problem } from '../problem.ts';
import * as kit from '../schema-kit.ts';
import { suggestion } from '#config/values/suggest.ts';
import type { Tree } from '../tree.ts';
import { readYamlFile } from '../yaml-file.ts';
import { MAIL_KINDS, mailKinds, type MailKind } from './mail-kinds.ts';
import { mailHtmlFault, mailTextFault, shows, type MailFault } from './mail-text.ts';
import type { MailTemplate } from './product.ts';
import { definitionFiles, fileProblem } from './source.ts';

/** The language of mails where `product.yaml` names none. */
export const MAIL_LANGUAGE = 'en';

/** The form of the file. */
export const mailFile = kit.entry({
  subject: kit
    .pattern(/^[^\r\n]{1,200}$/, 'one line of at most 200 characters', 'Reset your password')
    .meta({ about: 'the subject of the mail' }),
  text: kit
    .text('the mail as plain text', 'Hello {{name}}, …')
    .meta({ about: 'what the mail says, with {{…}} where values belong' }),
  button: kit
    .pattern(/^[^\r\n{}]{1,80}$/, 'a few words, without a placeholder', 'Choose a new password')
    .optional()
    .meta({ about: 'what the button of the HTML part says; the subject unless set' }),
  html: kit
    .text('the mail as HTML', '<p>Hello {{name}}</p>')
    .optional()
    .meta({ about: 'the HTML part, where it is not to be made of the text' }),
});

export interface Mails {
  readonly mails: readonly MailTemplate[];
  readonly problems: readonly Problem[];
}

/** The templates of a product, or every problem in them. `language`: the product's default, which each kind that has templates must have. */
export function readMails(dir: string, language: string = MAIL_LANGUAGE): Mails {
  const listed = definitionFiles(dir);
  const problems = [...listed.problems];
  const mails: MailTemplate[] = [];
  for (const file of listed.files) {
    const named = nameOf(file);
    if ('message' in named) {
      problems.push(named);
      continue;
    }
    const read = readMail(file, named);
    problems.push(...read.problems);
    if (read.mail !== null) mails.push(read.mail);
  }
  if (listed.files.length > limits.mail.templatesMax)
    problems.push(fileProblem(dir, `more than ${limits.mail.templatesMax} mails`, 'remove some'));
  return { mails, problems: [...problems, ...withoutDefault(dir, listed.files, language)] };
}

type Named = Pick<MailTemplate, 'kind' | 'language'>;

function nameOf(file: string): Named | Problem {
  const name = basename(file, '.yaml');
  const dot = name.indexOf('.');
  const [kind, language] = dot < 0 ? [name, ''] : [name.slice(0, dot), name.slice(dot + 1)];
  if (!isMailKind(kind)) return fileProblem(file, `there is no mail "${kind}"`, suggestion(kind, mailKinds));
  const canonical = languageTag(language);
  if (canonical === language) return { kind, language };
  const mend = `rename it to ${kind}.${canonical ?? MAIL_LANGUAGE}.yaml`;
  return fileProblem(file, `"${language}" is not a language tag (BCP 47)`, mend);
}

const isMailKind = (kind: string): kind is MailKind => Object.hasOwn(MAIL_KINDS, kind);

/** The tag in its canonical spelling; null where it is none. */
export function languageTag(text: string): string | null {
  if (text === '' || text.length > limits.mail.languageCharsMax) return null;
  try {
    return Intl.getCanonicalLocales(text)[0] ?? null;
  } catch {
    return null;
  }
}

function readMail(file: string, named: Named): { mail: MailTemplate | null; problems: readonly Problem[] } {
  const { tree, problems: broken } = readYamlFile(file);
  if (broken.length > 0) return { mail: null, problems: broken };
  const checked = check(mailFile, tree);
  if ('problems' in checked) return { mail: null, problems: checked.problems };
  const { subject, text, button = null, html = null } = checked.value;
  const faults: [string, MailFault | null][] = [
    ['subject', mailTextFault(named.kind, subject)],
    ['text', mailTextFault(named.kind, text) ?? missing(named.kind, text)],
    ['html', html === null ? null : (mailHtmlFault(named.kind, html) ?? missing(named.kind, html))],
  ];
  const problems = faults.flatMap(([key, fault]) => (fault === null ? [] : [problemIn(tree, key, fault)]));
  return { mail: problems.length > 0 ? null : { ...named, subject, text, button, html }, problems };
}

function problemIn(tree: Tree, key: string, { message, mend }: MailFault): Problem {
  return problemAt(tree.placeOf([key], 'value'), [key], message, mend);
}

function missing(kind: MailKind, text: string): MailFault | null {
  const { needs } = MAIL_KINDS[kind];
  if (needs === null || shows(text, needs)) return null;
  return { message: `the mail would be of no use without {{${needs}}}`, mend: `write {{${needs}}} where it belongs` };
}

/** Judged by the names of files: a file with a problem of its own causes no second one. */
function withoutDefault(dir: string, files: readonly string[], language: string): Problem[] {
  const present = files.map(nameOf).filter((named): named is Named => 'kind' in named);
  const kinds = [...new Set(present.map(({ kind }) => kind))];
  return kinds
    .filter((kind) => !present.some((one) => one.kind === kind && one.language === language))
    .map((kind) => {
      const other = present.find((one) => one.kind === kind)!.language;
      const message = `there is no ${kind}.${language}.yaml: ${language} is the language of mails for everybody else`;
      return fileProblem(dir, message, `add it, or write mails: { language: ${other} } in product.yaml`);
    });
}
