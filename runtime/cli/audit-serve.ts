/** `skep audit -config <file>`: a node that serves only the audit service. */
import { loadOrExplain } from './config-show.ts';
import { guarded } from './operator-verb.ts';
import { serve } from './serve.ts';
import { CliError, EXIT, type Terminal } from './terminal.ts';

/** Serves the file of the service; resolves when it accepts requests. */
export async function auditServe(file: string | undefined, terminal: Terminal): Promise<void> {
  if (file === undefined) throw new CliError('skep: name a file\n    skep audit -config audit.yaml\n', EXIT.usage);
  const platform = loadOrExplain(file, { env: terminal.env, service: 'audit', flags: { 'audit.enabled': true } });
  await guarded(() => serve(platform));
}
