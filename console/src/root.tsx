/** The route that every address of the console lies below. */
import { createRootRoute } from '@tanstack/react-router';
import { Shell } from './frame/shell.tsx';

export const root = createRootRoute({ component: Shell, notFoundComponent: () => null });
