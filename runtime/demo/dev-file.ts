/** `dev.json` and the curl settings beside it (mode 0600), for scripts, tests and the printed commands. */
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parsePosition } from '#actors/protocol/position.ts';
import { BASE } from '#runtime/console/console-pages.ts';
import { shellWord } from '#runtime/shell-word.ts';
import { DEMO_TENANT, SAMPLE } from './sample.ts';

export interface DemoSecrets {
  readonly api_key: string;
  readonly service_key: string;
  /** Creates the node's first superadmin, once. */
  readonly bootstrap_token: string;
  readonly admin: { readonly login: string; readonly password: string };
  /** The signing secrets of the demo's content app. */
  readonly content: ContentSecrets;
  /** A superadmin of the control plane, who logs in to the console. */
  readonly operator: { readonly login: string; readonly password: string };
}

export interface ContentSecrets {
  readonly preview_secret: string;
  readonly webhook_secret: string;
}

const SECRET_BYTES = 24;

/** A secret as it stands in dev.json. */
export const drawSecret = (): string => randomBytes(SECRET_BYTES).toString('base64url');

export const drawOperator = (): DemoSecrets['operator'] => ({ login: 'operator@skep.example', password: drawSecret() });

export const drawContentSecrets = (): ContentSecrets => ({
  preview_secret: drawSecret(),
  webhook_secret: drawSecret(),
});

/**
 * A checkout takes its secrets from the environment: sets them in the demo's process, and each thread inherits a copy. What the environment has
 * already stays. Returns the secrets in force.
 */
export function setContentSecrets({ preview_secret, webhook_secret }: ContentSecrets): ContentSecrets {
  return {
    preview_secret: (process.env['SKEP_DEMO_PREVIEW_SECRET'] ??= preview_secret),
    webhook_secret: (process.env['SKEP_DEMO_WEBHOOK_SECRET'] ??= webhook_secret),
  };
}

export interface DevFile extends Omit<DemoSecrets, 'operator'> {
  /** Beside `login` and `password` of the tenant's administrator, which commands find by their names. */
  readonly operator_login: string;
  readonly operator_password: string;
  readonly gateway: string;
  readonly operations: string;
  /** The address of the console; '' where it has no listener. */
  readonly console: string;
  /** The other open listeners. */
  readonly listeners: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly sample: typeof SAMPLE;
}

export function devPath(dataDir: string): string {
  return join(dataDir, 'dev.json');
}

/** The demo's secrets from an earlier run, or null when there is none. */
export function readSecrets(dataDir: string): DemoSecrets | null {
  if (!existsSync(devPath(dataDir))) return null;
  const dev = JSON.parse(readFileSync(devPath(dataDir), 'utf8')) as Omit<
    DevFile,
    'bootstrap_token' | 'content' | 'operator_login' | 'operator_password'
  > & {
    /** Absent in files of earlier versions. */
    bootstrap_token?: string;
    content?: ContentSecrets;
    operator_login?: string;
    operator_password?: string;
  };
  const { api_key, service_key, bootstrap_token = '', admin } = dev;
  const { content = drawContentSecrets(), operator_login: login, operator_password: password } = dev;
  const operator = login === undefined || password === undefined ? drawOperator() : { login, password };
  return { api_key, service_key, bootstrap_token, admin, content, operator };
}

/** Writes dev.json and the two curl files for the listeners of this run. */
export function writeDevFile(dataDir: string, urls: Readonly<Record<string, string>>, secrets: DemoSecrets): DevFile {
  const { gateway, operations, console: page, ...listeners } = urls;
  const { operator, ...others } = secrets;
  const position = parsePosition(DEMO_TENANT)!;
  const headers = {
    'X-Customer': position.customer,
    'X-Product': position.product,
    'X-Env': position.env,
    'X-Tenant': position.tenant,
  };
  const dev: DevFile = {
    gateway: gateway!,
    operations: operations ?? '',
    console: page === undefined ? '' : `${page}${BASE}`,
    listeners,
    headers,
    ...others,
    operator_login: operator.login,
    operator_password: operator.password,
    sample: SAMPLE,
  };
  const lines = Object.entries(headers).map(([name, value]) => `header = "${name}: ${value}"\n`);
  writePrivate(devPath(dataDir), `${JSON.stringify(dev, null, 2)}\n`);
  writePrivate(join(dataDir, 'position.curl'), lines.join(''));
  writePrivate(
    join(dataDir, 'exchange.curl'),
    `${lines.join('')}header = "Authorization: ApiKey ${secrets.service_key}"\nurl = "${gateway!}/auth/token"\nrequest = "POST"\nsilent\n`,
  );
  return dev;
}

function writePrivate(path: string, text: string): void {
  writeFileSync(`${path}.new`, text, { mode: 0o600 });
  renameSync(`${path}.new`, path);
}

/** The commands of the tour, ready to paste into a shell. */
export function commands(
  dataDir: string,
  dev: DevFile,
): readonly { readonly title: string; readonly command: string }[] {
  const token = `$(curl -K ${shellWord(join(dataDir, 'exchange.curl'))} | cut -d '"' -f 4)`;
  const data = `curl -s -K ${shellWord(join(dataDir, 'position.curl'))} -H "Authorization: Bearer ${token}"`;
  const { sample, gateway } = dev;
  return [
    {
      title: `the largest cities of a country (${sample.filter})`,
      command: `${data} '${gateway}/data/rest/${sample.entity}?${sample.filter}'`,
    },
    {
      title: 'create one (201 after fdatasync)',
      command: `${data} -H 'Content-Type: application/json' -d '${JSON.stringify(sample.create)}' '${gateway}/data/rest/${sample.entity}'`,
    },
    {
      title: 'submit a public form (200 after fsync and commit)',
      command: `curl -s -H 'Content-Type: application/json' -d '${JSON.stringify(sample.submission)}' '${gateway}/f/${sample.form}'`,
    },
    ...mailCommand(dataDir, dev),
  ];
}

/** None where the node has no operations listener, which shows the mail. */
function mailCommand(dataDir: string, { gateway, operations, admin }: DevFile) {
  if (operations === '' || admin === undefined) return [];
  const asked = `curl -s -K ${shellWord(join(dataDir, 'position.curl'))} -H 'Content-Type: application/json'`;
  const title = `mail a login link to the administrator (202); the mail is shown at ${operations}/mails`;
  return [{ title, command: `${asked} -d '${JSON.stringify({ login: admin.login })}' '${gateway}/auth/magic-link'` }];
}
