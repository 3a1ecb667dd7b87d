/** The route that every address of the console lies below. */
import { createRootRoute } from '@tanstack/react-router';
import { Gate } from './session/gate.tsx';

export const root = createRootRoute({ component: Gate, notFoundComponent: () => null });
