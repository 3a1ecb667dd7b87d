/** What the configuration takes from the process environment. */

export type Environment = Readonly<Record<string, string | undefined>>;

const REFERENCE = /\$(\$?)\{([^}]*)\}/g;
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

export interface Interpolated {
  readonly text: string;
  /** The first name read, null when the text had none. */
  readonly name: string | null;
  /** The first name that is not in the environment. */
  readonly missing: string | null;
}

/** Replaces each `${NAME}` by the variable's value; `$${NAME}` gives the text `${NAME}`. Source: docs/contract/platform.md §2.2. */
export function interpolate(text: string, env: Environment): Interpolated {
  let name: string | null = null;
  let missing: string | null = null;
  const replaced = text.replaceAll(REFERENCE, (whole, escape: string, variable: string) => {
    if (escape !== '') return whole.slice(1);
    const value = NAME.test(variable) && Object.hasOwn(env, variable) ? env[variable] : undefined;
    name ??= variable;
    if (value === undefined) missing ??= variable;
    return value ?? '';
  });
  return { text: replaced, name, missing };
}

/** Variables for single keys; they outrank the file and are outranked by flags. Spec: docs/contract/intake.md §2.7. */
export const ENV_KEYS = {
  SKEP_DATA: 'storage.dir',
  EDGE_INTAKE_GATEWAY_SECRET: 'intake.security.gateway_secret',
  EDGE_INTAKE_SMTP_PASSWORD: 'intake.email.smtp.password',
  EDGE_INTAKE_SMTP_OAUTH_SECRET: 'intake.email.smtp.oauth.client_secret',
  EDGE_INTAKE_WEBAPI_KEY: 'intake.email.webapi.api_key',
  EDGE_INTAKE_CHAT_WEBHOOK: 'intake.chat.default_webhook',
} as const satisfies Record<string, string>;

/** The base port of this node's listeners, in the order of `PORT_ORDER`. */
export const PORT_BASE = 'SKEP_PORT_BASE';
