/** `skep service install` and `uninstall`. */
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { readCredential } from '#config/credentials.ts';
import type { Platform } from '#config/platform.ts';
import { durationMs } from '#config/values/duration.ts';
import { makeDirectory } from '#storage/directory.ts';
import { ROOT } from '../place.ts';
import { serviceUnit } from './service-unit.ts';
import type { ServiceInstallOptions, ServiceUninstallOptions } from './service-options.ts';
import { CliError, EXIT, type Terminal } from './terminal.ts';
import { writtenPaths } from './written-paths.ts';

const UNIT = 'skep.service';
const LAUNCHER = `${ROOT}runtime/cli/skep`;
/** systemd.exec(5): a name of the placeholder's alphabet, and an absolute path. */
const CREDENTIAL = /^[A-Za-z_][A-Za-z0-9_]*:\/\S+$/;
const USER = /^[a-z_][a-z0-9_-]{0,30}$/;
/** What systemd would read as more than one word, or as a specifier. */
const NOT_PLAIN = /[\s%"'\\$;]/;
/** Above the drain: what is left is closing stores. */
const STOP_MARGIN_SECONDS = 60;
const PRIVILEGED_PORTS = 1024;

export async function serviceInstall(options: ServiceInstallOptions, terminal: Terminal): Promise<void> {
  const { text, dataDir, written } = await unitOf(options, terminal);
  if (options.print === true) return terminal.out(text);
  makeDirectory(options.unitDir);
  const path = join(options.unitDir, UNIT);
  writeFileSync(path, text, { mode: 0o644 });
  terminal.out(`${path}\n`);
  const { user } = options;
  // systemd refuses to start a service whose ReadWritePaths= is not there, with a number for a reason.
  for (const directory of [dataDir, ...written])
    if (!existsSync(directory)) terminal.err(`next: install -d -o ${user} -g ${user} -m 700 ${directory}\n`);
  terminal.err('next: systemctl daemon-reload && systemctl enable --now skep\n');
}

export function serviceUninstall({ unitDir }: ServiceUninstallOptions, terminal: Terminal): void {
  const path = join(unitDir, UNIT);
  if (!existsSync(path)) throw new CliError(`skep: there is no ${path}\n    name its folder with --unit-dir\n`);
  rmSync(path);
  terminal.out(`${path} removed\n`);
  terminal.err('next: systemctl disable --now skep; systemctl daemon-reload\n');
}

async function unitOf({ file, user, credential }: ServiceInstallOptions, terminal: Terminal) {
  for (const one of credential)
    if (!CREDENTIAL.test(one) || NOT_PLAIN.test(one))
      throw usage(`--credential ${one} is none`, 'write NAME:/absolute/path, as in BOOTSTRAP_TOKEN:/etc/skep/token');
  if (!USER.test(user)) throw usage(`--user ${user} is no name of a user`, 'useradd --system skep makes one');
  const platform = await platformOf(file, credential, terminal);
  const paths = { file: resolve(file), dataDir: resolve(platform.storage.dir), command: LAUNCHER };
  const written = writtenPaths(platform);
  for (const path of [...Object.values(paths), ...written])
    if (NOT_PLAIN.test(path))
      throw usage(`systemd would not read ${path} as one word`, 'use a path without spaces, quotes, $, %, ; and \\');
  const stopSeconds = Math.ceil(durationMs(platform.gateway.drain_notice) / 1000) + STOP_MARGIN_SECONDS;
  const wish = { ...paths, written, user, credentials: credential, lowPorts: hasLowPort(platform), stopSeconds };
  return { text: serviceUnit(wish), dataDir: paths.dataDir, written };
}

/** The file as the service will read it. */
async function platformOf(file: string, credentials: readonly string[], terminal: Terminal): Promise<Platform> {
  const { loadOrExplain } = await import('./config-show.ts');
  return loadOrExplain(file, { env: { ...Object.fromEntries(credentials.map(read)), ...terminal.env } });
}

function read(credential: string): [name: string, text: string] {
  const colon = credential.indexOf(':');
  try {
    return [credential.slice(0, colon), readCredential(credential.slice(colon + 1))];
  } catch (error) {
    throw usage(
      `--credential ${credential}: ${(error as Error).message}`,
      'write the secret into this file, mode 0600',
    );
  }
}

function hasLowPort({ gateway, listeners }: Platform): boolean {
  return [gateway.bind, gateway.tls?.acme?.http_bind, ...Object.values(listeners)].some((bind) => {
    const port = Number(bind?.slice(bind.lastIndexOf(':') + 1));
    return port > 0 && port < PRIVILEGED_PORTS;
  });
}

const usage = (what: string, mend: string): CliError => new CliError(`skep: ${what}\n    ${mend}\n`, EXIT.usage);
