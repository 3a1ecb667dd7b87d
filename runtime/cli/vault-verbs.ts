/** What the verbs of `skep vault` do: one request each. A value is printed as it is, and nothing else with it. */
import { renderRecord } from './output.ts';
import { CliError, EXIT } from './terminal.ts';
import type { Terminal } from './terminal.ts';
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
  terminal.out(options.output === 'json' ? renderRecord(body, 'json') : `${String(body['value'])}\n`);
}

export async function vaultPut(
  name: string,
  value: string | undefined,
  options: VaultOptions & { cas?: string },
  terminal: Terminal,
): Promise<void> {
  const cas = options.cas === undefined ? {} : { cas: numberOf(options.cas, '--cas') };
  const isTyped = (value === undefined || value === '-') && process.stdin.isTTY;
  if (isTyped) terminal.err('value (it is shown; end with Enter, then Ctrl-D): ');
  const bytes = value === undefined || value === '-' ? await readInput() : Buffer.from(value);
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
  if (status === 404) throw new CliError('no\n', EXIT.failure);
  if (status !== 200) throw new CliError(`skep: the vault answers ${status}\n`, EXIT.failure);
  terminal.out(`yes, version ${String(headers['x-secret-version'])}\n`);
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
  for (let after: string | null = null; ;) {
    const query = new URLSearchParams({ prefix, ...(after !== null && { after }) });
    const { body } = expectStatus(await askVault(options, terminal, 'GET', `/secret?${query.toString()}`), 200);
    for (const name of body['names'] as string[]) terminal.out(`${name}\n`);
    after = body['next'] as string | null;
    if (after === null) return;
  }
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
  if (process.stdin.isTTY) terminal.err('share (it is shown; end with Enter, then Ctrl-D): ');
  const share = (await readInput()).toString('latin1').trim();
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

/** All of standard input, less one line end: what `echo` adds is not part of a secret. */
async function readInput(): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
  return bytes.at(-1) === 10 ? bytes.subarray(0, -1) : bytes;
}

function numberOf(text: string, name: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new CliError(`skep: ${name} is a whole number, not "${text}"\n`, EXIT.usage);
}
