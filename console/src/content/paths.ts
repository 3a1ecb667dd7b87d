/** Addresses of content at its tenant. Pure. */
import { baseOf } from '../session/position.ts';

const part = encodeURIComponent;

export const contentPath = (key: string): string => `${baseOf(key)}/content`;
export const webhooksPath = (key: string): string => `${contentPath(key)}/webhooks`;
export const typePath = (key: string, app: string, type: string): string =>
  `${contentPath(key)}/${part(app)}/${part(type)}`;
export const newPath = (key: string, app: string, type: string): string => `${typePath(key, app, type)}/new`;
export const documentPath = (key: string, app: string, type: string, id: string): string =>
  `${typePath(key, app, type)}/${part(id)}`;
