/** How far the role of a superadmin reaches: to the tenants below the plane in which it was given; an impersonation does not carry it. */
import { CONTROL_PLANE, operatorPlaneOf, type Position } from './position.ts';

/** Whether the tenant `plane` is one from which operators administer the tenant at `target`; null stands for the node itself, which only the control plane administers. */
export function isPlaneOver(plane: string, target: Position | null): boolean {
  return plane === CONTROL_PLANE || (target !== null && plane === operatorPlaneOf(target));
}

/** The same, or the tenant itself: a superadmin of a tenant has that role there and nowhere else. */
export function isAtOrOver(tenant: string, target: Position | null): boolean {
  return tenant === target?.key || isPlaneOver(tenant, target);
}
