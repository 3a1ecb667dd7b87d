/** `skep intake person export|erase`: one person's submissions, by the field that forms declare. Spec: docs/contract/intake.md §3.5. */
import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import type { Platform } from '#config/platform.ts';
import type { FormDefinition } from '#config/definitions/form.ts';
import type { ErasedSubmissions } from '#actors/protocol/person.ts';
import { printer, settingsOf } from './intake-archive.ts';
import { askNode, guarded, operatorVerb, platformOf, type OperatorOptions } from './operator-verb.ts';
import { renderRecord } from './output.ts';
import { CliError, EXIT, type Terminal } from './terminal.ts';

type Options = OperatorOptions & { readonly alone?: true };

export const ERASE_VERB = 'intake.person.erase';

const ALONE = ['--alone', 'the file given with -f is one of skep intake'] as const;

export function addIntakePerson(intake: Command, terminal: Terminal): void {
  const person = intake
    .command('person')
    .description('submissions of one person, in forms that declare person: <field>')
    .enablePositionalOptions();
  addExport(person, terminal);
  addErase(person, terminal);
}

function addExport(person: Command, terminal: Terminal): void {
  const example = 'skep intake person export ann@example.org -f platform.yaml > ann.ndjson';
  operatorVerb(person, 'export', 'print the submissions of an e-mail address, one JSON object a line', example)
    .argument('<address>', 'the e-mail address; upper and lower case are the same')
    .option(...ALONE)
    .action(async (address: string, { file, alone }: Options) => {
      const platform = await platformOf(file, terminal, alone === true ? 'intake' : null);
      const print = printer(terminal);
      await guarded(() => eachOfPerson(platform, addressOf(address), (shown) => print(`${JSON.stringify(shown)}\n`)));
    });
}

/** Gives what the stores hold of an address, beside a running node or without one. Throws where no form declares a person. */
export async function eachOfPerson(
  platform: Platform,
  address: string,
  each: (shown: object) => void | Promise<void>,
): Promise<void> {
  const [{ eachStored }, { pathsOf }, { isFrom, personIn, shownToPerson }] = await Promise.all([
    import('#actors/intake/archive/store.ts'),
    import('#actors/intake/store.ts'),
    import('#actors/intake/erasure/person.ts'),
  ]);
  const person = personIn(await formsOf(platform), address);
  if (person.fields.size === 0)
    throw new CliError(
      `skep: no form in ${platform.intake.forms.dir} says which field names the person\n    write person: <field> into the form files\n`,
    );
  const settings = await settingsOf(platform);
  // A node that has stored no submission has no files.
  const [path] = pathsOf(settings);
  if (path !== undefined && !existsSync(path)) return;
  await eachStored(settings, null, (one) => (isFrom(person, one) ? each(shownToPerson(one)) : undefined));
}

async function formsOf({ intake }: Platform): Promise<readonly FormDefinition[]> {
  const { loadForms } = await import('#config/definitions/load-forms.ts');
  const loaded = loadForms(intake.forms.dir);
  if (!('problems' in loaded)) return Object.values(loaded.forms);
  throw new CliError(`skep: the forms of ${intake.forms.dir} do not load\n    run skep check to see why\n`);
}

function addErase(person: Command, terminal: Terminal): void {
  const example = 'skep intake person erase ann@example.org -f platform.yaml --confirm ann@example.org';
  operatorVerb(
    person,
    'erase',
    'erase the submissions of an e-mail address from the database, the log and the notices that wait',
    example,
  )
    .argument('<address>', 'the e-mail address; upper and lower case are the same')
    .requiredOption('--confirm <address>', 'the address again: erased submissions do not come back')
    .option(...ALONE)
    .action(async (given: string, { file, alone, confirm, output }: Options & { readonly confirm: string }) => {
      const address = addressOf(given);
      if (addressOf(confirm) !== address)
        throw new CliError(`skep: --confirm is not the address\n    write --confirm ${given}\n`, EXIT.usage);
      const platform = await platformOf(file, terminal, alone === true ? 'intake' : null);
      const erased = (await askNode(platform, ERASE_VERB, { address })) as ErasedSubmissions;
      terminal.out(renderRecord(output === 'json' ? { ...erased } : { ...erased.forms, ...erased.tenants }, output));
      warnOfLeft(erased, terminal);
    });
}

/** Names what an erasure does not reach. */
export function warnOfLeft({ left, elsewhere = [] }: ErasedSubmissions, terminal: Terminal): void {
  for (const path of left) terminal.err(`skep: ${path} may hold submissions of the person: delete it\n`);
  for (const tenant of elsewhere)
    terminal.err(
      `skep: tenant ${tenant} may hold submissions of the person, and is not of this node\n    if it has moved, erase them there; if it was deleted, this is done\n`,
    );
}

/** As identity compares addresses. */
function addressOf(text: string): string {
  const address = text.trim().toLowerCase();
  if (/^[^\s@]+@[^\s@]+$/.test(address)) return address;
  throw new CliError(`skep: "${text}" is no e-mail address\n    write for example ann@example.org\n`, EXIT.usage);
}
