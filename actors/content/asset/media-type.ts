/** What type an asset has: by its bytes, since a sender may lie. */
import { GENERIC, MEDIA_TYPE, sniffedType } from '#actors/kit/file/upload.ts';

const HTML = 'text/html';
const SVG = 'image/svg+xml';
/** Types that their bytes always show: a part that declares one and has other bytes lies. */
const SNIFFABLE = /^(?:image|audio|video|font)\/|^application\/(?:pdf|zip|gzip)$/;

/** The type by the first bytes; when they do not show one, the declared type, unless its bytes would show it. */
export async function assetType(declared: string, head: Buffer): Promise<string> {
  const active = activeType(head);
  if (active !== null) return active;
  const sniffed = await sniffedType(head);
  if (sniffed !== null) return sniffed;
  const type = declared.toLowerCase();
  if (!MEDIA_TYPE.test(type) || SNIFFABLE.test(type)) return GENERIC;
  return type;
}

/** The type of text that a browser would run, whatever type was declared. */
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
