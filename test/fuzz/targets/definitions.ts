/** Files of YAML: products, forms, the platform. What is wrong is a problem with its place, whatever the file holds. */
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll } from 'vitest';
import { linear, type Target } from '#test/fuzz/target.ts';
import { must } from './must.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const WORDS = [
  '- ',
  ': ',
  '\n',
  '  ',
  '|\n',
  '>\n',
  '&a ',
  '*a',
  '<<: ',
  '!!binary ',
  '!!js/function ',
  '? ',
  '{',
  '}',
  '[',
  ']',
  '"',
  "'",
  '#',
  '---\n',
  '...\n',
  '%YAML 1.1\n',
  'true',
  'null',
  '~',
  '.nan',
  '.inf',
  '0x1F',
  '1e400',
  '2026-01-01',
  '__proto__',
  'constructor',
  '${HOME}',
  '\t',
  '\ufeff',
  'fields',
  'type',
  'access',
  'language',
  'cel',
  'jq',
  'rule',
  'ref',
  'entity',
  'index',
  'traits',
  'default',
  'required',
  'sql',
  'params',
  'states',
  'events',
];

/** The YAML files of a directory, each as its path on the first line and its text behind. */
function filesIn(directory: string): string[] {
  const paths = readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.yaml'));
  return paths.sort().map((path) => `${path}\n${readFileSync(join(directory, path), 'utf8')}`);
}

/** A copy of a checkout in which one file is the input. */
function checkout(source: string): { readonly directory: string; readonly put: (input: Buffer) => () => void } {
  const parent = mkdtempSync(join(tmpdir(), 'skep-inputs-'));
  afterAll(() => rmSync(parent, { recursive: true, force: true }));
  const directory = join(parent, 'product');
  cpSync(source, directory, { recursive: true });
  const paths = filesIn(source).map((file) => file.slice(0, file.indexOf('\n')));
  const put = (input: Buffer): (() => void) => {
    const end = input.indexOf('\n');
    const named = input.toString('utf8', 0, Math.max(0, end));
    const path = join(directory, paths.includes(named) ? named : paths[input.length % paths.length]!);
    const before = readFileSync(path);
    writeFileSync(path, input.subarray(end + 1));
    return () => writeFileSync(path, before);
  };
  return { directory, put };
}

export async function productTarget(): Promise<Target> {
  const { loadProduct } = await import('#config/definitions/load-product.ts');
  const { productFaults } = await import('#runtime/product-faults.ts');
  const source = join(ROOT, 'config/samples/demo/atlas');
  const { directory, put } = checkout(source);
  const run = async (input: Buffer): Promise<void> => {
    const restore = put(input);
    try {
      const loaded = loadProduct(directory, { env: {} });
      if ('problems' in loaded) must(loaded.problems.length > 0, 'refused without a problem');
      else for (const fault of await productFaults(loaded.product)) must(fault.where !== '', 'a fault without a place');
    } finally {
      restore();
    }
  };
  return {
    name: 'product',
    costs: 25,
    form: 'text',
    covers: ['/config/'],
    seeds: filesIn(source),
    words: WORDS,
    bytesMax: 16_384,
    stepsMax: linear(3_000_000, 2000),
    run,
  };
}

export async function formsTarget(): Promise<Target> {
  const { loadForms } = await import('#config/definitions/load-forms.ts');
  const { compileForm, FormFault } = await import('#actors/intake/compile-form.ts');
  const source = join(ROOT, 'config/samples/demo/forms');
  const { directory, put } = checkout(source);
  const run = (input: Buffer): void => {
    const restore = put(input);
    try {
      const loaded = loadForms(directory, { env: {} });
      if ('problems' in loaded) must(loaded.problems.length > 0, 'refused without a problem');
      else for (const form of Object.values(loaded.forms)) compileForm(form);
    } catch (error) {
      if (!(error instanceof FormFault)) throw error;
    } finally {
      restore();
    }
  };
  return {
    name: 'form-file',
    costs: 6,
    form: 'text',
    covers: ['/config/', '/actors/intake/compile-form.ts'],
    seeds: filesIn(source),
    words: [...WORDS, 'email', 'min_length', 'enum', 'honeypot', 'pattern', 'notify', 'title', 'id'],
    bytesMax: 16_384,
    stepsMax: linear(200_000, 1500),
    run,
  };
}

export async function platformTarget(): Promise<Target> {
  const { loadPlatformText } = await import('#config/load.ts');
  const file = join(ROOT, 'config/samples/demo/demo.yaml');
  const more = join(ROOT, 'config/samples/templates/help-desk/platform.yaml');
  return {
    name: 'platform',
    costs: 6,
    form: 'text',
    covers: ['/config/'],
    seeds: [readFileSync(file), readFileSync(more)],
    words: [...WORDS, 'listeners', 'gateway', 'bind', 'sites', 'vault', 'intake', 'backups', 'tls', 'rates', 'tenants'],
    bytesMax: 16_384,
    stepsMax: linear(400_000, 3000),
    run: (input) => {
      const loaded = loadPlatformText(input.toString(), file, { env: {}, cwd: dirname(file), cores: 2 });
      if ('problems' in loaded) must(loaded.problems.length > 0, 'refused without a problem');
    },
  };
}
