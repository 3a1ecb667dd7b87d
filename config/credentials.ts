/** Credentials of systemd (systemd.exec(5), "CREDENTIALS"), and secrets that a container is given as files, as variables: a platform file reads `${NAME}`. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from './env.ts';

/** Set by systemd for a unit with LoadCredential= or SetCredential=: the folder, readable for this service alone, of one file each. */
const FOLDER = 'CREDENTIALS_DIRECTORY';

/** The text of a credential's file, as the service reads it. */
export const readCredential = (path: string): string => readFileSync(path, 'utf8').replace(/\r?\n$/, '');

/**
 * The environment, and beneath it a variable for each credential: its name, and its text without the line end that editors leave. A variable of
 * the environment outranks a credential of its name. Throws where the folder cannot be read: systemd made it for this service.
 */
export function withCredentials(env: Environment): Environment {
  const folder = env[FOLDER];
  if (folder === undefined || folder === '') return env;
  // Kubernetes mounts each key of a Secret as a link to a file, beside folders of its own.
  const names = readdirSync(folder).filter((name) => statSync(join(folder, name)).isFile());
  const found = names.map((name) => [name, readCredential(join(folder, name))]);
  return { ...Object.fromEntries(found), ...env };
}
