/** Shapes of bodies that are not JSON. Every other shape is a zod type as it stands. */
import { z } from 'zod';

declare module 'zod' {
  interface GlobalMeta {
    /** The media type of a body that is not JSON. */
    readonly media?: string;
  }
}

/** For bytes of any type: files that callers have stored. */
export const ANY_TYPE = '*/*';

/** What a description says about a text besides its media type: its possible values, its meaning. */
interface OfText {
  readonly enum?: string[];
  readonly description?: string;
}

/** A text of a media type. */
export function textShape<const M extends string>(media: M, more: OfText = {}) {
  return z
    .string()
    .meta({ ...more, media })
    .brand<M>();
}

/** Bytes of a media type. */
export function bytesShape<const M extends string>(media: M) {
  return z.custom<Uint8Array>().meta({ media }).brand<M>();
}
