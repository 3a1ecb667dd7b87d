/** Redocly's linter over an OpenAPI document, as its own command line runs it. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const cli = fileURLToPath(new URL('../../node_modules/@redocly/cli/bin/cli.js', import.meta.url));

/** Probes take nothing that could be wrong. */
const NOT_FOR_PROBES = ['--skip-rule=operation-4xx-response'];

export interface LintProblem {
  readonly ruleId: string;
  readonly severity: 'error' | 'warn';
  readonly message: string;
}

/** What Redocly's recommended rules say of the document. */
export async function lintOpenApi(document: string): Promise<readonly LintProblem[]> {
  const dir = mkdtempSync(join(tmpdir(), 'skep-openapi-'));
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  try {
    writeFileSync(join(dir, 'openapi.json'), document);
    const args = [cli, 'lint', 'openapi.json', '--format=json', '--extends=recommended', ...NOT_FOR_PROBES];
    const { stdout } = await run(process.execPath, args, { cwd: dir, env }).catch(
      (error: unknown) => error as { stdout: string },
    );
    return (JSON.parse(stdout) as { problems: LintProblem[] }).problems;
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}
