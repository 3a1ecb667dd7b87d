/** The address of the vault's page. It is loaded when it is opened. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { root } from '../root.tsx';

export const vaultRoutes = [
  createRoute({
    getParentRoute: () => root,
    path: '/vault',
    component: lazyRouteComponent(() => import('./page.tsx'), 'VaultPage'),
  }),
] as const;
