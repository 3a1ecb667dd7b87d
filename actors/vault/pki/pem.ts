/** PEM (RFC 7468): strict textual encoding, 64 characters a line. */

/** DER as PEM under a label. */
export function toPem(label: string, der: Uint8Array): string {
  const text = Buffer.from(der).toString('base64');
  return `-----BEGIN ${label}-----\n${text.replace(/.{1,64}/g, '$&\n')}-----END ${label}-----\n`;
}

const BLOCK = /^-----BEGIN ([A-Z0-9 ]{1,64})-----\s([A-Za-z0-9+/=\s]*?)-----END \1-----$/;

/** DER of the only block in `text`, if it has one of these labels; null when there is no block, more than one, or a damaged one. */
export function fromPem(text: string, labels: readonly string[]): Buffer | null {
  const match = BLOCK.exec(text.trim());
  if (match === null || !labels.includes(match[1]!)) return null;
  const digits = match[2]!.replace(/\s/g, '');
  const der = Buffer.from(digits, 'base64');
  return der.toString('base64') === digits && der.length > 0 ? der : null;
}
