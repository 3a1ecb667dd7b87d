/** Addresses of people at their tenant. Pure. */
import { baseOf } from '../session/position.ts';

export const peoplePath = (key: string): string => `${baseOf(key)}/people`;
export const addPath = (key: string): string => `${baseOf(key)}/people/add`;
export const rolesPath = (key: string): string => `${peoplePath(key)}/roles`;
export const invitationsPath = (key: string): string => `${peoplePath(key)}/invitations`;
