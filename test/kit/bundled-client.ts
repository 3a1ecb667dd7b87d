/** The client as a page loads it: bundled and minified by rolldown. */
import { rolldown } from 'rolldown';

const ENTRY = '\0entry';

/** The bundle of a module with this source, which imports the client by its path. */
export async function bundled(source: string): Promise<string> {
  const entry = {
    name: 'entry',
    resolveId: (id: string) => (id === ENTRY ? id : null),
    load: (id: string) => (id === ENTRY ? source : null),
  };
  const bundle = await rolldown({ input: ENTRY, plugins: [entry], treeshake: { moduleSideEffects: false } });
  const { output } = await bundle.generate({ format: 'esm', minify: true });
  await bundle.close();
  return output[0].code;
}
