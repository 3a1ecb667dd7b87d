/** Begins the console in its page. */
import './frame/trusted-types.ts';
import '@mantine/core/styles.css';
import './frame/frame.css';
import { MantineProvider, localStorageColorSchemeManager } from '@mantine/core';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { createRoot } from 'react-dom/client';
import { nonce } from './frame/nonce.ts';
import { theme, variables } from './frame/theme.ts';
import { router } from './router.tsx';
import { LogInPage } from './session/log-in-page.tsx';
import { followLinks, skep, takeCode, useIsLoggedIn } from './session/session.ts';
import { WordsProvider } from './words/words.tsx';

/** The client tries again by itself what may pass. */
const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } });
// What one login has seen is nothing to the next.
skep.auth.onChange(() => queries.clear());

const colours = localStorageColorSchemeManager({ key: 'skep console colours' });
const code = takeCode();
followLinks();

function Console() {
  return useIsLoggedIn() ? <RouterProvider router={router} /> : <LogInPage code={code} />;
}

createRoot(document.querySelector('#root')!).render(
  <MantineProvider
    theme={theme}
    cssVariablesResolver={variables}
    colorSchemeManager={colours}
    defaultColorScheme="auto"
    getStyleNonce={() => nonce}
  >
    <QueryClientProvider client={queries}>
      <WordsProvider>
        <Console />
      </WordsProvider>
    </QueryClientProvider>
  </MantineProvider>,
);
