/** Addresses of forms and submissions at their tenant. Pure. */
import { baseOf } from '../session/position.ts';

export const formsPath = (key: string): string => `${baseOf(key)}/forms`;
export const formPath = (key: string, form: string): string => `${formsPath(key)}/${encodeURIComponent(form)}`;
