/**
 * Writes the files of `skep new` (docs/contract/platform.md §1.8). All of them come into being in one step, the rename of a folder that was
 * filled beside the wished one, so an interrupted run leaves nothing at the wished place, and nothing that stands there is touched.
 */
import { randomBytes } from 'node:crypto';
import { lstatSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { parsePosition } from '#actors/protocol/position.ts';
import { shellWord } from '#runtime/shell-word.ts';
import { ROOT } from '../place.ts';
import { clientFiles } from './client-files.ts';
import { CLIENT_IN, type Template } from './product-templates.ts';
import { CliError, EXIT } from './terminal.ts';

const TEMPLATES_DIR = `${ROOT}config/samples/templates`;
/** The name of every template's product, in whose place the new one's stands. */
const PLACEHOLDER = 'my-product';
/** npm leaves files of this name out of a package, so a template has it without its dot. */
const RENAMED: Readonly<Record<string, string>> = { gitignore: '.gitignore' };
const ADMINISTRATOR = 'admin@example.org';
/** Names that a refusal lists of a directory that is there. */
const LISTED_MAX = 8;

export interface NewWish {
  readonly name: string;
  readonly template: Template;
  /** As it was typed. */
  readonly dir: string;
}

/**
 * Makes the directory and gives what the verb prints: where the files are, and the next commands to type. Rejects with CliError (usage) for a name
 * that is none of a product, and where the directory is there already or the one above it is missing; nothing is written then.
 */
export async function newProduct({ name, template, dir }: NewWish): Promise<string> {
  if (parsePosition(positionOf(name)) === null) throw notAName(name);
  refuseTaken(dir);
  const files = await filesOf(template, name);
  place(files, dir);
  return report(files.length, template, name, dir);
}

const positionOf = (name: string): string => `acme:${name}:dev:main`;

function notAName(name: string): CliError {
  const mend = 'lower-case letters, digits, _ and -, a letter or digit first, at most 63 characters: for example shop';
  return new CliError(`skep: "${name}" cannot be the name of a product\n    ${mend}\n`, EXIT.usage);
}

interface TemplateFile {
  /** Below the new directory. */
  readonly path: string;
  readonly text: string;
}

/** The files of a template, with the product's name in place of the placeholder, and the client for its page. */
export async function filesOf(template: Template, name: string): Promise<TemplateFile[]> {
  const files = templateFiles(template, name);
  const folder = CLIENT_IN[template];
  if (folder === undefined) return files;
  const client = Object.entries(await clientFiles()).map(([file, text]) => ({ path: join(folder, file), text }));
  return [...files, ...client];
}

function templateFiles(template: Template, name: string): TemplateFile[] {
  const from = join(TEMPLATES_DIR, template);
  return readdirSync(from, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => {
      const file = join(entry.parentPath, entry.name);
      const path = join(dirname(relative(from, file)), RENAMED[entry.name] ?? entry.name);
      return { path, text: readFileSync(file, 'utf8').replaceAll(PLACEHOLDER, name) };
    });
}

/** Throws where the directory cannot be made without touching what is there. */
function refuseTaken(dir: string): void {
  const target = resolve(dir);
  const above = dirname(target);
  if (statSync(above, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new CliError(
      `skep: there is no directory ${above} to make ${basename(target)} in\n    make it first\n`,
      EXIT.usage,
    );
  const there = lstatSync(target, { throwIfNoEntry: false });
  if (there === undefined) return;
  const what = there.isDirectory() ? holdingOf(target) : there.isSymbolicLink() ? 'a link' : 'a file';
  throw taken(dir, what);
}

function taken(dir: string, what: string): CliError {
  const mend = 'nothing is overwritten: name a directory that is not there with --dir, or move this one away';
  return new CliError(`skep: ${dir} is there already: ${what}\n    ${mend}\n`, EXIT.usage);
}

function holdingOf(directory: string): string {
  const names = readdirSync(directory).sort();
  if (names.length === 0) return 'an empty directory';
  const shown = names.slice(0, LISTED_MAX);
  const more = names.length > shown.length ? ` and ${names.length - shown.length} more` : '';
  return `a directory with ${shown.join(', ')}${more}`;
}

/** Fills a folder beside the wished one and renames it: the file system does that in one step, and only where nothing stands. */
function place(files: readonly TemplateFile[], dir: string): void {
  const target = resolve(dir);
  const filling = join(dirname(target), `.${basename(target)}.${randomBytes(6).toString('hex')}`);
  try {
    // By itself: where a file system refuses it with ENOENT, as /proc does, a recursive mkdir of Node 22 never ends.
    mkdirSync(filling);
    for (const { path, text } of files) {
      mkdirSync(join(filling, dirname(path)), { recursive: true });
      writeFileSync(join(filling, path), text, { flag: 'wx' });
    }
    renameSync(filling, target);
  } catch (error) {
    rmSync(filling, { recursive: true, force: true });
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOTEMPTY' || code === 'EEXIST' || code === 'ENOTDIR') throw taken(dir, 'another program made it');
    throw new CliError(`skep: ${dir} could not be written, and nothing of it is left: ${message}\n`);
  }
}

function report(count: number, template: Template, name: string, dir: string): string {
  const commands = nextCommands(name, dir).map((command) => `  ${command}\n`);
  const readme = join(dir, 'README.md');
  return `Wrote ${count} files of the template ${template} to ${dir}. ${readme} explains them.\n\nNext:\n${commands.join('')}`;
}

/** Check the files, make the tenant with its administrator (whose password the verb shows once), serve. */
export function nextCommands(name: string, dir: string): readonly string[] {
  const path = join(dir, 'platform.yaml');
  const file = shellWord(path.startsWith('-') ? `./${path}` : path);
  return [
    `skep check -f ${file}`,
    `skep tenant provision -f ${file} --tenant ${positionOf(name)} --email ${ADMINISTRATOR}`,
    `skep -f ${file}`,
  ];
}
