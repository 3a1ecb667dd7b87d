/** Begins the console in its page. */
import './frame/trusted-types.ts';
import '@mantine/core/styles.css';
import './frame/frame.css';
import { MantineProvider, localStorageColorSchemeManager } from '@mantine/core';
import { RouterProvider } from '@tanstack/react-router';
import { createRoot } from 'react-dom/client';
import { endWithPage } from './acting/acting.ts';
import { nonce } from './frame/nonce.ts';
import { theme, variables } from './frame/theme.ts';
import { router } from './router.tsx';
import { followLinks } from './session/session.ts';
import { WordsProvider } from './words/words.tsx';

const colours = localStorageColorSchemeManager({ key: 'skep console colours' });
followLinks();
endWithPage();

createRoot(document.querySelector('#root')!).render(
  <MantineProvider
    theme={theme}
    cssVariablesResolver={variables}
    colorSchemeManager={colours}
    defaultColorScheme="auto"
    getStyleNonce={() => nonce}
  >
    <WordsProvider>
      <RouterProvider router={router} />
    </WordsProvider>
  </MantineProvider>,
);
