/** Reads the forms of the intake service: one form per `.yaml` file of a directory. Shape: docs/contract/intake.md §3.1. */
import { env as processEnv } from 'node:process';
import * as z from 'zod';
import { check, whereOf } from '../check.ts';
import type { Environment } from '../env.ts';
import { limits } from '../limits.ts';
import { isNeverReached, type PrivateHosts } from '../private-hosts.ts';
import { problemAt, sortProblems, type Path, type Problem } from '../problem.ts';
import * as kit from '../schema-kit.ts';
import { suggestion } from '#config/values/suggest.ts';
import { mapOf, type Tree } from '../tree.ts';
import { readYamlFile } from '../yaml-file.ts';
import { formCaptcha } from './captcha-section.ts';
import { constraintFaults, type Allowed } from './constraint.ts';
import { FORM_FORMATS } from './format.ts';
import type { FormDefinition, FormFieldType } from './form.ts';
import { definitionFiles, fileProblem, name } from './source.ts';

export type LoadedForms =
  /** `notes`: a missing directory, which leaves every form unknown. */
  | { readonly forms: Readonly<Record<string, FormDefinition>>; readonly notes: readonly Problem[] }
  | { readonly problems: readonly Problem[] };

const TYPES = [
  'string',
  'integer',
  'number',
  'boolean',
  'date',
  'email',
  'url',
  'enum',
  'file',
] as const satisfies readonly FormFieldType[];

const ALLOWED: Allowed = {
  min: ['integer', 'number'],
  max: ['integer', 'number'],
  min_length: ['string', 'email', 'url'],
  max_length: ['string', 'email', 'url', 'file'],
  pattern: ['string'],
  format: ['string'],
  enum: ['enum'],
};

/** In which ALTCHA's widget sends its answer. */
const CAPTCHA_FIELD = 'altcha';

type Types = ReadonlySet<FormFieldType | undefined>;

/** Fields that may hold an address to reply to, or the address that names the person. */
const REPLY_TYPES: Types = new Set(['email']);
const PERSON_TYPES: Types = new Set(['email', 'string']);

const FORM_ID = /^[a-z][a-z0-9_-]{0,63}$/;
const TENANT_KEY = /^[a-z0-9][a-z0-9_-]{0,62}(?::[a-z0-9][a-z0-9_-]{0,62}){3}$/;
const ADDRESS = /^[^\s@<>"]{1,64}@[^\s@<>"]{1,255}$/;

const bound = z.number().meta({ description: 'a number', example: '0' }).optional();
const length = kit.whole(0, 1_000_000_000).optional();

const field = kit.entry({
  type: kit.oneOf(TYPES).meta({ about: 'what the field holds' }),
  required: kit.yesNo().optional().meta({ about: 'a submission without it is refused' }),
  min: bound.meta({ about: 'the smallest value' }),
  max: bound.meta({ about: 'the largest value' }),
  min_length: length.meta({ about: 'the least number of characters' }),
  max_length: length.meta({ about: 'the largest number of characters; of a file, of bytes' }),
  pattern: kit
    .text('an RE2 expression', "'^[A-Z]+$'")
    .optional()
    .meta({ about: 'what the text must contain; anchor it with ^ and $ to judge the whole' }),
  format: kit.oneOf(FORM_FORMATS).optional().meta({ about: 'a known form that the text must have' }),
  enum: z
    .array(z.string().meta({ description: 'a text (quote numbers)', example: "'1'" }))
    .min(1)
    .meta({ description: 'a list of at least one value', example: '[yes, no]' })
    .optional()
    .meta({ about: 'the values of a field of type enum' }),
});

const address = kit.pattern(ADDRESS, 'a mail address', 'team@example.org');

/** The form of the file. */
export const formFile = kit.entry({
  id: kit
    .pattern(FORM_ID, 'a form id: lower-case letters, digits, _ and -, a letter first', 'contact')
    .meta({ about: 'the name in its address' }),
  title: kit.text('a title', 'Contact us').optional().meta({ about: 'for people who read notices' }),
  fields: z.record(name, field).meta({
    description: 'a map of fields',
    example: '{ email: { type: email } }',
    about: 'what a submission may hold',
  }),
  honeypot: name
    .optional()
    .meta({ about: 'a hidden input that no person fills in: a submission that has it is answered, and not stored' }),
  captcha: formCaptcha.optional().meta({ about: 'what a submission has to show before it is looked at' }),
  notify: kit
    .entry({
      email: kit
        .entry({
          to: z
            .preprocess((value) => (typeof value === 'string' ? [value] : value), z.array(address).min(1))
            .meta({ description: 'a mail address or a list of them', example: 'team@example.org' })
            .meta({ about: 'who is written to', short: { type: 'string', pattern: ADDRESS.source } }),
          subject: kit
            .pattern(/^[^\r\n]{1,200}$/, 'one line of text', 'A new message')
            .optional()
            .meta({ about: 'the subject of that mail' }),
          reply_to_field: name.optional().meta({ about: 'the field with the address to which an answer goes' }),
        })
        .optional()
        .meta({ about: 'a mail for each submission' }),
      chat: kit
        .entry({
          webhook: z
            .string()
            .refine(kit.isHttpUrl)
            .meta({ description: 'an http or https URL', example: '${CHAT_WEBHOOK}', secret: true })
            .optional()
            .meta({ about: 'where it goes, instead of the platform’s own' }),
        })
        .optional()
        .meta({ about: 'a message in a chat for each submission' }),
    })
    .optional()
    .meta({ about: 'who hears of a submission' }),
  person: name
    .optional()
    .meta({ about: 'the field with the address of the person who submits: exports and erasures find it' }),
  retention: kit.duration().optional().meta({ about: 'how long a submission is kept; for ever unless set' }),
  tenant: kit
    .pattern(TENANT_KEY, 'a tenant key customer:product:env:tenant', 'acme:desk:dev:main')
    .optional()
    .meta({ about: 'the tenant that gets the submissions: a trigger of its product says what follows' }),
});

type RawForm = z.output<typeof formFile>;

export interface LoadOptions {
  readonly env?: Environment;
  /** Where notices may go besides public hosts under TLS; absent where none are sent and addresses are not checked. */
  readonly reachable?: PrivateHosts;
}

/** Every form of the directory by its id, or every problem in it. `${NAME}` is read within `notify` only. */
export function loadForms(dir: string, options: LoadOptions = {}): LoadedForms {
  const listed = definitionFiles(dir);
  if (!listed.found)
    return { forms: {}, notes: [fileProblem(dir, 'there is no such directory', 'make it, or set intake.forms.dir')] };
  const forms = mapOf<FormDefinition>([]);
  const problems = [...listed.problems];
  for (const file of listed.files) {
    const read = readForm(file, options);
    problems.push(...read.problems);
    if (read.form === null) continue;
    const before = forms[read.form.id];
    if (before === undefined) forms[read.form.id] = read.form;
    else problems.push(twice(read.form, read.tree, before));
  }
  return problems.length > 0 ? { problems: sortProblems(problems) } : { forms, notes: [] };
}

/** Places where `${NAME}` is resolved. */
export const isOfNotify = (path: Path): boolean => path[0] === 'notify';

function readForm(file: string, { env = processEnv, reachable }: LoadOptions) {
  const { tree, problems, broken } = readYamlFile(file, { env, interpolated: isOfNotify });
  if (broken) return { form: null, tree, problems };
  const checked = check(formFile, tree);
  if ('problems' in checked) {
    const refused = new Set(problems.map((problem) => problem.path));
    return { form: null, tree, problems: [...problems, ...checked.problems.filter(({ path }) => !refused.has(path))] };
  }
  const fields = mapOf(Object.entries(checked.value.fields));
  const found = { ...checked.value, fields, where: whereOf(tree, ['id']) } as FormDefinition;
  return { form: found, tree, problems: [...problems, ...formProblems(checked.value, tree, reachable)] };
}

function twice(found: FormDefinition, tree: Tree, before: FormDefinition): Problem {
  const mend = `give it another id (the other is at ${before.where})`;
  return problemAt(tree.placeOf(['id'], 'value'), ['id'], `the form "${found.id}" is declared twice`, mend);
}

function formProblems(read: RawForm, tree: Tree, reachable: PrivateHosts | undefined): Problem[] {
  const problems: Problem[] = [];
  const say = (path: Path, message: string, mend: string): void => {
    problems.push(problemAt(tree.placeOf(path, 'value'), path, message, mend));
  };
  const names = Object.keys(read.fields);
  if (names.length === 0) say(['fields'], 'a form needs a field', 'declare at least one');
  if (names.length > limits.intake.fieldsMax)
    say(['fields'], `a form takes at most ${limits.intake.fieldsMax} fields`, 'split the form');
  for (const [key, declared] of Object.entries(read.fields)) {
    const faults = constraintFaults(declared, ALLOWED);
    for (const fault of faults) say(['fields', key, fault.key], fault.message, fault.mend);
  }
  if (read.honeypot !== undefined && names.includes(read.honeypot))
    say(['honeypot'], `the honeypot "${read.honeypot}" is a field too`, 'choose a name that no person fills in');
  if (read.captcha !== undefined && (names.includes(CAPTCHA_FIELD) || read.honeypot === CAPTCHA_FIELD))
    say(
      ['captcha'],
      `"${CAPTCHA_FIELD}" is the field of the captcha's answer`,
      'give the field of that name another one',
    );
  const reply = read.notify?.email?.reply_to_field;
  if (reply !== undefined && read.fields[reply]?.type !== 'email')
    say(
      ['notify', 'email', 'reply_to_field'],
      `"${reply}" is no field of type email`,
      namedMend(reply, read, REPLY_TYPES),
    );
  const { person } = read;
  if (person !== undefined && !PERSON_TYPES.has(read.fields[person]?.type))
    say(['person'], `"${person}" is no field of type email or string`, namedMend(person, read, PERSON_TYPES));
  const [file] = Object.entries(read.fields).find(([, { type }]) => type === 'file') ?? [];
  if (read.tenant !== undefined && file !== undefined)
    say(['tenant'], `files go to no tenant, and the field "${file}" is one`, 'remove the field, or `tenant`');
  const webhook = read.notify?.chat?.webhook;
  // The URL is a secret, so the message does not repeat it.
  if (webhook !== undefined && reachable !== undefined && isNeverReached(new URL(webhook), reachable))
    say(
      ['notify', 'chat', 'webhook'],
      'the webhook can never be reached: plain HTTP and private addresses go to named hosts only',
      'write an https URL of a public host, or name the host in outbound.allow_private',
    );
  return problems;
}

function namedMend(named: string, read: RawForm, types: Types): string {
  const fitting = Object.entries(read.fields).filter(([, { type }]) => types.has(type));
  return suggestion(
    named,
    fitting.map(([key]) => key),
  );
}
