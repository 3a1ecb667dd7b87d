/** The client, and pages with it, as a browser loads them: bundled and minified by rolldown. */
import { rolldown } from 'rolldown';

const ENTRY = '\0entry';

/** The bundle of a module with this source, which imports the client by its path. `external`: packages that are left out. */
export async function bundled(source: string, external: readonly string[] = []): Promise<string> {
  const entry = {
    name: 'entry',
    resolveId: (id: string) => (id === ENTRY ? id : null),
    load: (id: string) => (id === ENTRY ? source : null),
  };
  const bundle = await rolldown({
    input: ENTRY,
    plugins: [entry],
    external: [...external],
    treeshake: { moduleSideEffects: false },
  });
  const { output } = await bundle.generate({ format: 'esm', minify: true });
  await bundle.close();
  return output[0].code;
}

/** The bundle of a page with its packages, as it is deployed or as its author tries it; its script, which a module loads. */
export async function bundledPage(file: string, mode: 'production' | 'development' = 'production'): Promise<string> {
  const define = { 'process.env.NODE_ENV': `"${mode}"` };
  const bundle = await rolldown({
    input: file,
    platform: 'browser',
    transform: { define },
    // "use client" of TanStack Query says something to servers alone.
    onLog: (level, log, handle) => void (log.code !== 'MODULE_LEVEL_DIRECTIVE' && handle(level, log)),
  });
  const { output } = await bundle.generate({ format: 'esm', minify: true });
  await bundle.close();
  return output[0].code;
}
