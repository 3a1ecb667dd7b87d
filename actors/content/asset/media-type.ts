/** What type an asset has, and whether a browser may show it in place: by its bytes, since senders lie. */
import { GENERIC, MEDIA_TYPE, sniffedType } from '#actors/kit/file/upload.ts';

const HTML = 'text/html';
const SVG = 'image/svg+xml';
/** Kinds whose bytes always show it: a part that says so and does not look so lies. */
const SNIFFABLE = /^(?:image|audio|video|font)\/|^application\/(?:pdf|zip|gzip)$/;
/** What runs nothing when it is opened from here; everything else is offered as a download. */
const SHOWN = /^(?:image\/(?:png|jpeg|gif|webp|avif|bmp)|audio\/[a-z0-9.+-]+|video\/[a-z0-9.+-]+|text\/plain)$/;

/** The type by the first bytes; where they say nothing, what the sender said, unless it cannot be. */
export async function assetType(declared: string, head: Buffer): Promise<string> {
  const active = activeType(head);
  if (active !== null) return active;
  const sniffed = await sniffedType(head);
  if (sniffed !== null) return sniffed;
  const type = declared.toLowerCase();
  if (!MEDIA_TYPE.test(type) || SNIFFABLE.test(type)) return GENERIC;
  return type;
}

/** Text that a browser would run: it is called by its name whatever it was sent as. */
function activeType(head: Buffer): string | null {
  const start = head
    .subarray(0, 1024)
    .toString('latin1')
    .replace(/^\xef\xbb\xbf/, '')
    .trimStart()
    .toLowerCase();
  if (!start.startsWith('<')) return null;
  if (/^<svg[\s>]/.test(start) || (/^<(?:\?xml|!--|!doctype svg)/.test(start) && start.includes('<svg'))) return SVG;
  return /<(?:!doctype html|html|head|body|script|iframe|img|style|a|title|meta)[\s>]/.test(start) ? HTML : null;
}

export function isShown(type: string): boolean {
  return SHOWN.test(type);
}
