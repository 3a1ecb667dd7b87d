/** `--email --firstname --lastname`: the person that a verb seeds. A password is never an argument, since other users can read arguments. */
import { randomBytes } from 'node:crypto';
import type { Command } from 'commander';
import type { PersonWish } from '#actors/protocol/node-verbs.ts';
import { readPassword } from './read-password.ts';
import { CliError, EXIT, type Terminal } from './terminal.ts';

export interface PersonOptions {
  readonly email?: string;
  readonly firstname?: string;
  readonly lastname?: string;
}

/** A person to seed, and whether the password was generated here and must be shown. */
export interface Seed {
  readonly person: PersonWish;
  readonly generated: boolean;
}

const GENERATED_BYTES = 18;

export function addPersonOptions(command: Command, what: string): Command {
  return command
    .option('--email <address>', `login of ${what}; the password comes from standard input, else one is generated`)
    .option('--firstname <name>', `first name of ${what}`)
    .option('--lastname <name>', `last name of ${what}`);
}

/** The person in the options, or null. Reads the password from standard input where one is piped. */
export async function seedOf({ email, firstname, lastname }: PersonOptions, terminal: Terminal): Promise<Seed | null> {
  if (email === undefined) {
    if (firstname === undefined && lastname === undefined) return null;
    throw new CliError('skep: a name needs a login\n    give --email <address> too\n', EXIT.usage);
  }
  const shown = await readPassword(terminal);
  const password = shown ?? randomBytes(GENERATED_BYTES).toString('base64url');
  return { person: { email, password, firstname, lastname }, generated: shown === null };
}
