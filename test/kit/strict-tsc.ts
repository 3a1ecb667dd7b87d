/** A strict TypeScript project of a user of the client, as tsc judges it. */
import { execFile } from 'node:child_process';
import type { ExecFileException } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '#runtime/place.ts';

const run = promisify(execFile);

/** The errors that tsc finds in these files (name → text), one a line; `@skep/client` means the module `client`. */
export async function strictErrors(
  files: Readonly<Record<string, string>>,
  client = `${ROOT}client/index.ts`,
): Promise<string[]> {
  const dir = mkdtempSync(join(tmpdir(), 'skep-strict-'));
  try {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(dir, name), text);
    const compilerOptions = {
      target: 'es2022',
      lib: ['es2023', 'dom', 'dom.iterable'],
      module: 'esnext',
      moduleResolution: 'bundler',
      types: [],
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      allowImportingTsExtensions: true,
      noEmit: true,
      paths: { '@skep/client': [client] },
    };
    writeFileSync(join(dir, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: Object.keys(files) }));
    const typescript = dirname(createRequire(import.meta.url).resolve('typescript/package.json'));
    const output = await run(process.execPath, [`${typescript}/bin/tsc`, '-p', dir]).then(
      () => '',
      (error: ExecFileException) => error.stdout ?? '',
    );
    return output.split('\n').filter((line) => /\berror TS\d+/.test(line));
  } finally {
    rmSync(dir, { recursive: true });
  }
}
