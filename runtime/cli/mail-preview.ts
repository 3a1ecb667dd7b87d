/** The mails of a checkout with invented values. The node renders its mails by the same functions. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { check } from '#config/check.ts';
import { mailKinds, ownOf, type MailKind } from '#config/definitions/mail-kinds.ts';
import { readMails } from '#config/definitions/mails.ts';
import { withPresets } from '#config/definitions/oauth-presets.ts';
import { productFile } from '#config/definitions/product-file.ts';
import type { ProductDefinition } from '#config/definitions/product.ts';
import { renderProblems } from '#config/problem.ts';
import { readYamlFile } from '#config/yaml-file.ts';
import { suggestion } from '#config/values/suggest.ts';
import { chooseLanguage, languagesOf, mailLanguageOf } from '#actors/identity/mail/choose-language.ts';
import { commonValues, templateFor } from '#actors/identity/mail/render-mail.ts';
import { renderMail, type RenderedMail } from '#actors/kit/mail/render.ts';
import { CliError, EXIT } from './terminal.ts';

export interface PreviewOptions {
  readonly language?: string;
  readonly output: 'text' | 'html' | 'json';
  readonly to?: string;
}

interface Preview extends RenderedMail {
  readonly kind: MailKind;
  readonly language: string;
}

const PERSON = { email: 'ada@example.org', firstname: 'Ada', lastname: 'Lovelace' };
const UNTIL = '2026-01-01T12:00:00.000Z';
const SAMPLES = { link: 'https://example.org/open?token=TOKEN', code: '12345678', provider: 'google' } as const;

/** What the verb prints. */
export function previewMails(directory: string, kind: string | undefined, options: PreviewOptions): string {
  const product = productIn(directory);
  const kinds = kind === undefined ? mailKinds : [kindNamed(kind)];
  const previews = kinds.map((one) => previewOf(product, one, options.language));
  if (options.to !== undefined) return writeAll(previews, options.to);
  if (options.output === 'json') return `${JSON.stringify(previews, null, 2)}\n`;
  if (options.output === 'text') return previews.map(textOf).join('\n');
  if (previews.length > 1) throw usage('-o html prints one mail', 'name a kind, or write all with --to <directory>');
  return previews[0]!.html;
}

/** Only what mails need: a preview must not ask for the secrets that the rest of a checkout names. */
function productIn(directory: string): ProductDefinition {
  const { tree, problems, broken } = readYamlFile(join(directory, 'product.yaml'));
  const head = broken ? { problems } : check(productFile, tree);
  if ('problems' in head) throw new CliError(renderProblems(head.problems), EXIT.usage);
  const { name, ...settings } = withPresets(head.value);
  const written = readMails(join(directory, 'mails'), settings.mails?.language);
  if (written.problems.length > 0) throw new CliError(renderProblems(written.problems), EXIT.usage);
  return { name, entities: {}, settings, mails: written.mails };
}

function kindNamed(text: string): MailKind {
  const kind = mailKinds.find((one) => one === text);
  if (kind === undefined) throw usage(`there is no mail "${text}"`, suggestion(text, mailKinds));
  return kind;
}

function usage(message: string, mend: string): CliError {
  return new CliError(`skep: ${message}\n    ${mend}\n`, EXIT.usage);
}

function previewOf(product: ProductDefinition, kind: MailKind, asked: string | undefined): Preview {
  const chosen = chooseLanguage(languagesOf(product, kind), asked ?? '', mailLanguageOf(product));
  const template = templateFor(product, kind, chosen);
  const position = {
    customer: 'acme',
    product: product.name,
    env: 'dev',
    tenant: 'main',
    key: `acme:${product.name}:dev:main`,
  };
  const own = Object.fromEntries(ownOf(kind).map((name) => [name, SAMPLES[name]]));
  const values = { ...commonValues(position, PERSON, UNTIL), ...own };
  return { kind, language: template.language, ...renderMail(template, values) };
}

function textOf({ kind, language, subject, text }: Preview): string {
  return `${kind} (${language})\nSubject: ${subject}\n\n${text}`;
}

function writeAll(previews: readonly Preview[], directory: string): string {
  mkdirSync(directory, { recursive: true });
  const written = previews.flatMap(({ kind, language, subject, text, html }) => {
    const files = [
      [join(directory, `${kind}.${language}.html`), html],
      [join(directory, `${kind}.${language}.txt`), `Subject: ${subject}\n\n${text}`],
    ] as const;
    for (const [file, content] of files) writeFileSync(file, content);
    return files.map(([file]) => file);
  });
  return written.map((file) => `${file}\n`).join('');
}
