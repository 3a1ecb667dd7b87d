/** The text of a refresh token: `<family id>.<number>.<secret>`. */
export interface RefreshTokenText {
  readonly family: string;
  readonly no: number;
  readonly secret: string;
}

const TEXT = /^([0-9A-HJKMNP-TV-Z]{26})\.([1-9]\d{0,8})\.([A-Za-z0-9_-]{43})$/;

export function formatRefreshToken({ family, no, secret }: RefreshTokenText): string {
  return `${family}.${no}.${secret}`;
}

/** The parts of a token; null for a text of another form. */
export function parseRefreshToken(text: string): RefreshTokenText | null {
  const match = TEXT.exec(text);
  return match === null ? null : { family: match[1]!, no: Number(match[2]), secret: match[3]! };
}
