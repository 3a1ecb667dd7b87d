/** The addresses of a tenant's rows: `/at/<customer>/<product>/<env>/<tenant>/data/<entity>`. What is there is loaded when it is opened. */
import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { root } from '../root.tsx';

const getParentRoute = () => root;
const AT = '/at/$customer/$product/$env/$tenant';

export const dataRoutes = [
  createRoute({
    getParentRoute,
    path: AT,
    beforeLoad: ({ params }) => {
      throw redirect({ to: `${AT}/data`, params });
    },
  }),
  createRoute({
    getParentRoute,
    path: `${AT}/data`,
    component: lazyRouteComponent(() => import('./home-page.tsx'), 'HomePage'),
  }),
  createRoute({
    getParentRoute,
    path: `${AT}/data/$entity`,
    component: lazyRouteComponent(() => import('./rows-page.tsx'), 'RowsPage'),
  }),
] as const;
