/** Which callers are told of apps and types: administrators of all, an editor of the apps whose unpublished documents it may read. */
import type { Call } from '#actors/host/call.ts';
import { admits } from '#actors/kit/admits.ts';
import { isAllowed } from '../judge.ts';
import type { OpenApp } from '../part.ts';
import { end } from '../refused.ts';
import { forAdministrators } from './routes.ts';

export const isAdministrator = (call: Call): boolean =>
  admits(forAdministrators, call.principal, call.activation.position);

/** By the rule `preview` of the app, as for its drafts. An app that is not served, or of which a rule does not compile, has no editor. */
export function edits(call: Call, app: OpenApp | undefined): boolean {
  if (app === undefined || app.judge.faulty) return false;
  return isAllowed(call, app.judge, { operation: 'preview', of: app.definition.name });
}

export function refuseOthers(): never {
  end('content.forbidden', {
    message: 'only administrators of the tenant, with the role tenant_admin, ask this, and editors of apps',
  });
}
