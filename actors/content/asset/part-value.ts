/** The value of a field of an asset that came as text: as a part of a form, or in the metadata of an upload. */
import type { Call } from '#actors/host/call.ts';
import { parseJson } from '#actors/kit/json.ts';
import { FIELD_TYPES } from '#config/values/field-types.ts';
import type { OpenStore } from '../part.ts';

/** `tags` may be written with commas; other fields that are not text are JSON. */
export function partValue(call: Call, store: Pick<OpenStore, 'asset'>, name: string, text: string): unknown {
  if (name === 'tags' && !text.startsWith('[')) return text === '' ? [] : text.split(',').map((tag) => tag.trim());
  const fields = call.activation.product.entities[store.asset]?.fields ?? {};
  const type = Object.hasOwn(fields, name) ? fields[name]!.type : 'string';
  if (text === '' && type === 'ref') return null;
  if (FIELD_TYPES[type].isTextPart) return text;
  const parsed = parseJson(text);
  return parsed.ok ? parsed.value : text;
}
