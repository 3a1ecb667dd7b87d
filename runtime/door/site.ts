/** A declared name of a host, and what is served there. */
import type { Position } from '#actors/protocol/position.ts';

export interface Site {
  readonly host: string;
  readonly position: Position;
  /** Browsers may hold the tokens of a login in cookies. */
  readonly cookies: boolean;
  /** The files of the product's folder `web` are served. */
  readonly web: boolean;
  /** These files leave compressed for callers that send `Accept-Encoding`. */
  readonly compressed: boolean;
}
