/** What the verbs of a tenant's admin plane share: the options, the call, and the message of a refusal. */
import type { Command } from 'commander';
import type { AdminAnswer, AdminRequest } from '#runtime/admin-call.ts';
import { askNode, operatorVerb, platformOf, tenantOption, type OperatorOptions } from './operator-verb.ts';
import { CliError, EXIT, type Terminal } from './terminal.ts';

export interface AdminOptions extends OperatorOptions {
  readonly tenant: string;
  readonly datastore: string;
}

/** A verb with `-f`, `--tenant`, `--datastore` and `--output`. */
export function adminVerb(parent: Command, name: string, description: string, example: string): Command {
  return operatorVerb(parent, name, description, example)
    .addOption(tenantOption().makeOptionMandatory())
    .option('--datastore <name>', 'the datastore of the tenant', 'default');
}

/** Calls the tenant; a refusal ends the verb with its message. */
export async function adminCall<T>(
  options: AdminOptions,
  request: Omit<AdminRequest, 'tenant'>,
  terminal: Terminal,
): Promise<T> {
  const { tenant, datastore, file } = options;
  const platform = await platformOf(file, terminal);
  const placed: AdminRequest =
    request.body === undefined
      ? { ...request, tenant, query: { ...request.query, datastore } }
      : { ...request, tenant, body: { ...request.body, datastore } };
  const { status, body } = (await askNode(platform, 'data.admin', placed)) as AdminAnswer;
  if (status < 300) return body as T;
  const { error, code } = body as { readonly error: string; readonly code: string };
  throw new CliError(`skep: ${error} (${code})\n`, status >= 500 ? EXIT.failure : EXIT.usage);
}
