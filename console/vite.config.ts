/** How the console is built; `runtime/cli/console.ts` runs it. The nonce's place is filled in by the door for each answer (runtime/console/). */
import { fileURLToPath } from 'node:url';
import { defineConfig, type Plugin } from 'vite';

/** The folder of a module's package, as the release names it: from the project's root. */
const PACKAGE = /(?<=\/)(console\/node_modules\/(?:.*\/node_modules\/)?(?:@[^/]+\/)?[^/]+)\//;

/** Packages whose code the build holds, one a line, beside it: their licences go along with a release (`runtime/cli/pack-release.ts`). */
const namesPackages: Plugin = {
  name: 'names-packages',
  generateBundle(_options, bundle) {
    const modules = Object.values(bundle).flatMap((part) => (part.type === 'chunk' ? Object.keys(part.modules) : []));
    const folders = new Set(modules.flatMap((id) => PACKAGE.exec(id)?.[1] ?? []));
    this.emitFile({ type: 'asset', fileName: 'bundled-packages.txt', source: [...folders].sort().join('\n') });
  },
};

export default defineConfig({
  base: '/console/',
  resolve: { alias: { '@skep/client': fileURLToPath(new URL('../client/index.ts', import.meta.url)) } },
  plugins: [namesPackages],
  html: { cspNonce: 'SKEP-NONCE' },
  build: {
    target: 'es2022',
    // No file within another: the policy lets no `data:` script or style in.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // What the shell may have, compressed, is held by test/scenario/console-chromium.test.ts.
    chunkSizeWarningLimit: 1000,
    rolldownOptions: {
      onLog: (level, log, handle) => {
        // Mantine says "use client" to servers that render; there is none here.
        if (log.code !== 'MODULE_LEVEL_DIRECTIVE') handle(level, log);
      },
    },
  },
});
