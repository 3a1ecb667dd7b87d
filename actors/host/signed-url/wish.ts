/** What a caller asks of a signed URL. */
import { limits } from '#config/limits.ts';
import { isShown } from '#actors/kit/file/shown-type.ts';
import { shown } from '#actors/kit/shown.ts';

export interface UrlWish {
  readonly lifeSeconds: number;
  readonly disposition: Disposition;
}

export type Disposition = 'inline' | 'attachment';

/** What is wrong with a body, in words for its sender. */
export interface WishFault {
  readonly fault: string;
}

const { lifeSeconds, lifeSecondsMax } = limits.signedUrl;
const COMMON = ['expires_in', 'disposition'];

/** The wish of a JSON value; `own` are the members that the service reads itself. */
export function wishOf(body: unknown, own: readonly string[]): UrlWish | WishFault {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    return { fault: 'the body must be a JSON object' };
  const known = [...own, ...COMMON];
  const unknown = Object.keys(body).find((name) => !known.includes(name));
  if (unknown !== undefined) return { fault: `the body may hold ${known.join(', ')}, not ${shown(unknown)}` };
  const { expires_in = lifeSeconds, disposition = 'attachment' } = body as Record<string, unknown>;
  if (!isLife(expires_in)) return { fault: `expires_in must be a whole number of seconds from 1 to ${lifeSecondsMax}` };
  if (disposition !== 'inline' && disposition !== 'attachment')
    return { fault: 'disposition must be inline or attachment' };
  return { lifeSeconds: expires_in, disposition };
}

/** The fault of a wish to show a file in place that a browser might run; null where there is none. */
export function faultOfType({ disposition }: UrlWish, type: string): WishFault | null {
  if (disposition === 'attachment' || isShown(type)) return null;
  return {
    fault: `a file of type ${shown(type)} is offered as a download only: leave out disposition, or say attachment`,
  };
}

function isLife(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 1 && (value as number) <= lifeSecondsMax;
}
