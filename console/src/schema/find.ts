/** Which entities a text finds: by their names, and by those of their fields. Pure. */
import type { EntityDoc } from '../data/shapes.ts';

export function fits({ name, fields }: EntityDoc, q: string): boolean {
  const text = q.trim().toLowerCase();
  return text === '' || [name, ...fields.map((field) => field.name)].some((one) => one.toLowerCase().includes(text));
}
