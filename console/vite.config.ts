/** How the console is built; `runtime/cli/console.ts` runs it. The nonce's place is filled in by the door for each answer (runtime/console/). */
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

export default defineConfig({
  base: '/console/',
  resolve: { alias: { '@skep/client': fileURLToPath(new URL('../client/index.ts', import.meta.url)) } },
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
