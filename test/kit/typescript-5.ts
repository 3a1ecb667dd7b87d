/** Loaded by `node --import`: a tool that asks for TypeScript's JavaScript API, which version 7 does not have, gets version 5 beside it. */
import { registerHooks } from 'node:module';

registerHooks({
  resolve: (specifier, context, next) => next(specifier === 'typescript' ? 'typescript-5' : specifier, context),
});
