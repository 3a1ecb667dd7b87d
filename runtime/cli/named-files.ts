/** PEM files that the platform file names: each unreadable one is reported with its key before the node starts. */
import { accessSync, constants } from 'node:fs';
import type { Platform } from '#config/platform.ts';
import { CliError, EXIT } from './terminal.ts';

type Named = readonly [key: string, file: string | undefined];

/** Throws CliError (usage) with every unreadable file and the key that names it. */
export function refuseMissingFiles(platform: Platform): void {
  const faults = unreadableFiles(platform);
  if (faults.length === 0) return;
  const mend = 'relative paths start at the platform file; check the permissions of the file and its directories';
  throw new CliError(`skep: ${faults.join('\nskep: ')}\n    ${mend}\n`, EXIT.usage);
}

/** Each named file that cannot be read: its key, its path, and why. */
export function unreadableFiles(platform: Platform): string[] {
  return namedFiles(platform).flatMap(([key, file]) => {
    const why = file === undefined ? null : faultOf(file);
    return why === null ? [] : [`${key}: cannot read ${file} (${why})`];
  });
}

function namedFiles({ audit, gateway, listeners, vault }: Platform): Named[] {
  const named: Named[] = pair('gateway.tls', gateway.tls);
  named.push(['gateway.tls.acme.ca_file', gateway.tls?.acme?.ca_file]);
  for (const [i, other] of (gateway.tls?.others ?? []).entries())
    named.push(...pair(`gateway.tls.others[${i}]`, other));
  if (audit.enabled) named.push(['audit.vault.ca', audit.vault.ca], ...pair('audit.vault.tls', audit.vault.tls));
  if (audit.enabled && listeners.audit !== null) named.push(...pair('audit.tls', audit.tls));
  if (!vault.enabled) return named;
  const { backend, operators } = vault;
  named.push(['vault.operators.ca', operators.ca], ['vault.operators.crl', operators.crl]);
  return [
    ...named,
    ...pair('vault.tls', vault.tls),
    ...pair('vault.audit.tls', vault.audit.tls),
    ...pair('vault.backend.tls', backend.tls),
  ];
}

type Files = {
  readonly ca?: string | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
};

function pair(key: string, files: Files | undefined): Named[] {
  const { ca, cert, key: secret } = files ?? {};
  return [
    [`${key}.ca`, ca],
    [`${key}.cert`, cert],
    [`${key}.key`, secret],
  ];
}

function faultOf(file: string): string | null {
  try {
    accessSync(file, constants.R_OK);
    return null;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'unknown';
  }
}
