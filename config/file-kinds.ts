/**
 * Every kind of file that people write for Skep, with the schema that checks it. The reference, the JSON Schemas for editors and `skep schema`
 * are made of this table; a new kind of file gets a row here.
 */
import type * as z from 'zod';
import { actionFile } from './definitions/action.ts';
import { archivesFile } from './definitions/archives.ts';
import { endpointFile } from './definitions/bff/endpoint-file.ts';
import { isHeader } from './definitions/bff/load-bff.ts';
import { appFile } from './definitions/content/app-file.ts';
import { mayHoldSecret } from './definitions/content/apps.ts';
import { storesFile } from './definitions/content/stores.ts';
import { scriptedEndpointFile } from './definitions/endpoint.ts';
import { entityFile } from './definitions/entity.ts';
import { formFile, isOfNotify } from './definitions/load-forms.ts';
import { policyFile } from './definitions/load-policies.ts';
import { mailFile } from './definitions/mails.ts';
import { productFile } from './definitions/product-file.ts';
import { seedFile } from './definitions/seed.ts';
import { stateflowFile } from './definitions/stateflow.ts';
import { isOfWebhook } from './definitions/trigger.ts';
import { triggerFile } from './definitions/trigger-file.ts';
import { viewFile } from './definitions/view.ts';
import { platformFile } from './platform.ts';
import type { Path } from './problem.ts';

export interface FileKind {
  readonly title: string;
  /** What such a file declares, in one sentence without its end. */
  readonly about: string;
  /** Globs of its files: below a checkout, unless `of` says otherwise. */
  readonly files: readonly string[];
  /** Whose files they are: those of a product's checkout, or those that a node's operator writes. */
  readonly of: 'product' | 'node';
  readonly schema: z.ZodType;
  /** The page of the contract and its heading. */
  readonly contract: string;
  /** Where `${NAME}` stands for a variable of the environment; nowhere when absent. */
  readonly takesVariables?: (path: Path) => boolean;
}

const everywhere = (): boolean => true;

/** By the name that `skep schema` takes. */
export const fileKinds = {
  platform: {
    title: 'The platform file',
    about: 'what a node serves, where it listens and where its data lies',
    files: ['platform.yaml', '*.platform.yaml'],
    of: 'node',
    schema: platformFile,
    contract: 'docs/contract/platform.md#2-platform-file',
    takesVariables: everywhere,
  },
  product: {
    title: 'product.yaml',
    about: 'the name of a product, how its users get in, and what it may reach',
    files: ['product.yaml'],
    of: 'product',
    schema: productFile,
    contract: 'docs/contract/data-definitions.md#3-productyaml',
    takesVariables: everywhere,
  },
  entity: {
    title: 'Entities and content types',
    about:
      'rows: their fields, who may read and write them, how long they stay; in content/types one type a file, named after it',
    files: ['entities/*.yaml', 'content/types/*.yaml', 'content/extend/*.yaml'],
    of: 'product',
    schema: entityFile,
    contract: 'docs/contract/data-definitions.md#1-entities',
  },
  stateflow: {
    title: 'Stateflows',
    about: 'a state machine over one field: which values may follow which, under which guard',
    files: ['stateflows/*.yaml'],
    of: 'product',
    schema: stateflowFile,
    contract: 'docs/contract/data-behaviour.md#1-stateflows',
  },
  action: {
    title: 'Actions',
    about: 'SQL statements with parameters that callers may run',
    files: ['actions/*.yaml'],
    of: 'product',
    schema: actionFile,
    contract: 'docs/contract/data-behaviour.md#2-declared-actions',
  },
  endpoint: {
    title: 'Scripted endpoints',
    about: 'a route below /data/x that a script of yours answers',
    files: ['endpoints/*.yaml'],
    of: 'product',
    schema: scriptedEndpointFile,
    contract: 'docs/contract/data-behaviour.md#3-scripted-endpoints',
  },
  bff: {
    title: 'Endpoints of the BFF',
    about: 'a route whose answer is made of the answers of several calls',
    files: ['bff/*.yaml'],
    of: 'product',
    schema: endpointFile,
    contract: 'docs/contract/bff.md#3-declarations',
    takesVariables: isHeader,
  },
  seed: {
    title: 'Seeds',
    about: 'rows that every tenant begins with',
    files: ['seeds/*.yaml'],
    of: 'product',
    schema: seedFile,
    contract: 'docs/contract/data-definitions.md#4-seeds',
  },
  archives: {
    title: 'Archives',
    about: 'where rows go after the active time of their retention',
    files: ['archives.yaml'],
    of: 'product',
    schema: archivesFile,
    contract: 'docs/contract/data-definitions.md#19-retention',
  },
  mail: {
    title: 'Mails',
    about: 'a mail to users in the words of the product; the file is named after the kind of the mail and its language',
    files: ['mails/*.yaml'],
    of: 'product',
    schema: mailFile,
    contract: 'docs/contract/identity-mails.md#1-a-products-own-words',
  },
  trigger: {
    title: 'Triggers',
    about:
      'what follows when rows change, or at times: a webhook, a mail, a script or an action; the file is named after the trigger',
    files: ['triggers/*.yaml'],
    of: 'product',
    schema: triggerFile,
    contract: 'docs/contract/triggers.md#1-the-file',
    takesVariables: isOfWebhook,
  },
  view: {
    title: 'Views',
    about: 'a select that is read as an entity, under the rules of its caller; the file is named after the view',
    files: ['views/*.yaml'],
    of: 'product',
    schema: viewFile,
    contract: 'docs/contract/data-definitions.md#112-views',
  },
  'content-stores': {
    title: 'Content stores',
    about: 'places for files, and who may do what in them',
    files: ['content/stores/stores.yaml'],
    of: 'product',
    schema: storesFile,
    contract: 'docs/contract/content.md#31-stores',
  },
  'content-app': {
    title: 'Content apps',
    about: 'documents of some content types, and how they are delivered',
    files: ['content/apps/*/app.yaml'],
    of: 'product',
    schema: appFile,
    contract: 'docs/contract/content.md#33-apps',
    takesVariables: mayHoldSecret,
  },
  form: {
    title: 'Forms',
    about: 'a public form: its fields, who hears of a submission, how long it stays',
    files: ['forms/*.yaml'],
    of: 'node',
    schema: formFile,
    contract: 'docs/contract/intake.md#3-forms',
    takesVariables: isOfNotify,
  },
  policies: {
    title: 'Policies of the vault',
    about: 'who may do what with which secrets',
    files: ['policies/*.yaml'],
    of: 'node',
    schema: policyFile,
    contract: 'docs/contract/vault.md#24-policies',
  },
} as const satisfies Readonly<Record<string, FileKind>>;

export type FileKindName = keyof typeof fileKinds;

export const fileKindNames = Object.keys(fileKinds) as readonly FileKindName[];
