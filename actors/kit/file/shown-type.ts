/** Types that run nothing in a browser, which may show them in place; every other is offered as a download. */
const SHOWN = /^(?:image\/(?:png|jpeg|gif|webp|avif|bmp)|audio\/[a-z0-9.+-]+|video\/[a-z0-9.+-]+|text\/plain)$/;

export function isShown(type: string): boolean {
  return SHOWN.test(type);
}
