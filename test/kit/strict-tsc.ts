/** A strict TypeScript project of a user of the client, as tsc judges it. */
import { execFile, type ExecFileException } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '#runtime/place.ts';

const run = promisify(execFile);

/** Of a program that takes the sources of the client by their name. */
const SOURCES = {
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
  paths: {
    '@skep/client': [`${ROOT}client/index.ts`],
    '@skep/client/react': [`${ROOT}client/react/index.ts`],
    '*': [`${ROOT}node_modules/@types/*`, `${ROOT}node_modules/*`],
  },
};

/** The errors that tsc finds in these files (name → text), one a line; `@skep/client`, its hooks and the packages of the project are found by their names. */
export async function strictErrors(files: Readonly<Record<string, string>>): Promise<string[]> {
  const dir = mkdtempSync(join(tmpdir(), 'skep-strict-'));
  try {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(dir, name), text);
    return await errorsIn(dir, SOURCES, Object.keys(files));
  } finally {
    rmSync(dir, { recursive: true });
  }
}

/** The errors that tsc finds in these files of a folder, where it writes a tsconfig.json with the options. */
export async function errorsIn(dir: string, compilerOptions: object, files: readonly string[]): Promise<string[]> {
  writeFileSync(join(dir, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
  const output = await tsc('-p', dir).then(
    () => '',
    (error: ExecFileException) => error.stdout ?? '',
  );
  return output.split('\n').filter((line) => /\berror TS\d+/.test(line));
}

/** Runs the compiler; rejects where it finds errors. */
export async function tsc(...args: readonly string[]): Promise<string> {
  const typescript = dirname(createRequire(import.meta.url).resolve('typescript/package.json'));
  return (await run(process.execPath, [`${typescript}/bin/tsc`, ...args])).stdout;
}
