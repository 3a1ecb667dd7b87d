/** The nonce of the answer that this page came in: style elements with it are applied. */
const place = document.querySelector<HTMLMetaElement>('meta[property="skep-nonce"]');

export const nonce = place?.nonce ?? '';
