/** The addresses of products: the list, and one of them. Their pages are loaded when they are opened. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { root } from '../root.tsx';

const getParentRoute = () => root;

export const productsRoutes = [
  createRoute({
    getParentRoute,
    path: '/products',
    component: lazyRouteComponent(() => import('./list-page.tsx'), 'ListPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/products/$customer/$product/$env',
    component: lazyRouteComponent(() => import('./product-page.tsx'), 'ProductPage'),
  }),
] as const;
