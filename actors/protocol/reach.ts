/** How far a superadmin's power goes: as far as the plane in which the role was given, and never by acting for another. */
import { CONTROL_PLANE, operatorPlaneOf } from './position.ts';
import type { Position } from './position.ts';

/** Whether the tenant `plane` is one from which operators administer the tenant at `target`; null: the node itself, the control plane's alone. */
export function isPlaneOver(plane: string, target: Position | null): boolean {
  return plane === CONTROL_PLANE || (target !== null && plane === operatorPlaneOf(target));
}

/** The same, and a tenant over itself: a superadmin of a tenant is one there and nowhere else. */
export function isAtOrOver(tenant: string, target: Position | null): boolean {
  return tenant === target?.key || isPlaneOver(tenant, target);
}
