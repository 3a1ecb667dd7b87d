/** The verbs of `skep vault`: one request each. A value is printed as it is, without anything else. */
import { renderRecord } from './output.ts';
import { readSecret } from './read-secret.ts';
import { CliError, EXIT, type Terminal } from './terminal.ts';
import { askVault, expectStatus } from './vault-client.ts';
import type { VaultOptions } from './vault-options.ts';

const pathOf = (name: string, query: Readonly<Record<string, string | undefined>> = {}): string => {
  const given = Object.entries(query).filter((one): one is [string, string] => one[1] !== undefined);
  const search = new URLSearchParams(given).toString();
  return `/secret/${encodeURIComponent(name)}${search === '' ? '' : `?${search}`}`;
};

export async function vaultGet(
  name: string,
  options: VaultOptions & { version?: string },
  terminal: Terminal,
): Promise<void> {
  const { body } = expectStatus(
    await askVault(options, terminal, 'GET', pathOf(name, { version: options.version })),
    200,
  );
  if (options.output === 'json') return terminal.out(renderRecord(body, 'json'));
  const value = Buffer.from(String(body['value']), body['encoding'] === 'base64' ? 'base64' : 'utf8');
  terminal.out(value);
  // A prompt would follow directly behind the value; a pipe gets only the bytes.
  if (process.stdout.isTTY && value.at(-1) !== LINE_FEED) terminal.out('\n');
}

const LINE_FEED = 0x0a;

export async function vaultPut(
  name: string,
  value: string | undefined,
  options: VaultOptions & { cas?: string },
  terminal: Terminal,
): Promise<void> {
  const cas = options.cas === undefined ? {} : { cas: numberOf(options.cas, '--cas') };
  const isGiven = value !== undefined && value !== '-';
  const bytes = isGiven ? Buffer.from(value) : await readSecret('value', terminal);
  if (!isGiven && bytes.at(-1) === LINE_FEED)
    terminal.err('skep: the value ends with a line feed, which is stored; use printf %s to write none\n');
  const text = bytes.toString('utf8');
  const written = Buffer.from(text).equals(bytes)
    ? { value: text }
    : { value: bytes.toString('base64'), encoding: 'base64' };
  bytes.fill(0);
  const answer = await askVault(options, terminal, 'PUT', pathOf(name), { ...written, ...cas });
  terminal.out(renderRecord(expectStatus(answer, 200, 201).body, options.output));
}

export async function vaultExists(name: string, options: VaultOptions, terminal: Terminal): Promise<void> {
  const { status, headers } = await askVault(options, terminal, 'HEAD', pathOf(name));
  if (status !== 404 && status !== 200) throw new CliError(`skep: the vault answers ${status}\n`, EXIT.failure);
  const isThere = status === 200;
  const version = isThere ? Number(headers['x-secret-version']) : null;
  if (options.output === 'json') terminal.out(renderRecord({ name, exists: isThere, version }, 'json'));
  else if (isThere) terminal.out(`yes, version ${version}\n`);
  if (!isThere) throw new CliError(options.output === 'json' ? '' : 'no\n', EXIT.failure);
}

export async function vaultDelete(
  name: string,
  options: VaultOptions & { version?: string; destroy?: boolean },
  terminal: Terminal,
): Promise<void> {
  const query = { version: options.version, destroy: options.destroy === true ? 'true' : undefined };
  const answer = await askVault(options, terminal, 'DELETE', pathOf(name, query));
  terminal.out(renderRecord(expectStatus(answer, 200).body, options.output));
}

export async function vaultList(prefix: string, options: VaultOptions, terminal: Terminal): Promise<void> {
  const all: string[] = [];
  for (let after: string | null = null; ;) {
    const query = new URLSearchParams({ prefix, ...(after !== null && { after }) });
    const { body } = expectStatus(await askVault(options, terminal, 'GET', `/secret?${query.toString()}`), 200);
    const names = body['names'] as string[];
    if (options.output === 'json') all.push(...names);
    else for (const name of names) terminal.out(`${name}\n`);
    after = body['next'] as string | null;
    if (after === null) break;
  }
  if (options.output === 'json') terminal.out(`${JSON.stringify(all, null, 2)}\n`);
}

export async function vaultStatus(options: VaultOptions, terminal: Terminal): Promise<void> {
  const { body } = expectStatus(await askVault(options, terminal, 'GET', '/status'), 200);
  terminal.out(renderRecord(body, options.output));
}

export async function vaultInit(
  options: VaultOptions & { shares: string; threshold: string },
  terminal: Terminal,
): Promise<void> {
  const wish = { shares: numberOf(options.shares, '--shares'), threshold: numberOf(options.threshold, '--threshold') };
  const { body } = expectStatus(await askVault(options, terminal, 'POST', '/seal/init', wish), 201);
  if (options.output === 'json') terminal.out(renderRecord(body, 'json'));
  else for (const share of body['shares'] as string[]) terminal.out(`${share}\n`);
  const { shares, threshold } = wish;
  terminal.err(
    `skep: ${shares} shares, shown this once: any ${threshold} of them open the vault at each start (skep vault unseal)\n`,
  );
}

export async function vaultUnseal(options: VaultOptions, terminal: Terminal): Promise<void> {
  const share = (await readSecret('share', terminal)).toString('latin1').trim();
  const answer = await askVault(options, terminal, 'POST', '/seal/unseal', { share });
  terminal.out(renderRecord(expectStatus(answer, 200).body, options.output));
}

export async function vaultSeal(options: VaultOptions, terminal: Terminal): Promise<void> {
  const answer = await askVault(options, terminal, 'POST', '/seal');
  terminal.out(renderRecord(expectStatus(answer, 200).body, options.output));
}

export async function vaultScaffold(
  family: string,
  name: string,
  options: VaultOptions,
  terminal: Terminal,
): Promise<void> {
  expectStatus(await askVault(options, terminal, 'POST', `/operator/${family}/${name}`), 200);
}

function numberOf(text: string, name: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new CliError(`skep: ${name} must be a whole number, not "${text}"\n`, EXIT.usage);
}
