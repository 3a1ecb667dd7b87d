/** The headers of the console's answers: its policy, and what every answer of its origin says. Pure. Why so: docs/decisions/browser.md BR-5. */
import { AroundVisit } from '#runtime/door/around-visit.ts';

/** No other site may embed, open or read what this origin answers. */
export const SAFE =
  'X-Content-Type-Options: nosniff\nReferrer-Policy: no-referrer\nCross-Origin-Opener-Policy: same-origin\nCross-Origin-Resource-Policy: same-origin\n';

/** Of answers that are no page: whatever they say, a browser that shows one runs nothing of it. */
export const NO_PAGE = `Content-Security-Policy: default-src 'none'; frame-ancestors 'none'; sandbox\n${SAFE}`;

/**
 * Of files of the build. A worker has the policy of its own file: it loads and asks nothing. `sandbox` would refuse it a start (Content Security Policy Level 3, W3C), and a file that a browser shows is text or a picture: nothing of it
 * runs.
 */
export const BUILT_FILE = `Content-Security-Policy: default-src 'none'; frame-ancestors 'none'\n${SAFE}`;

/**
 * Scripts of this origin alone, whose code makes no markup of text (Trusted Types; the policy `default` of the pages lets no `<` through). Mantine writes elements `style`, which
 * show the nonce of their answer.
 */
export const pagePolicy = (nonce: string): string =>
  "Content-Security-Policy: default-src 'none'; script-src 'self'; " +
  `style-src 'self' 'nonce-${nonce}'; img-src 'self' data: blob:; connect-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'self'; ` +
  "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types default\n";

/** Of the page that stands there until there is a build: its one script. */
export const waitingPolicy = (nonce: string): string =>
  `Content-Security-Policy: default-src 'none'; script-src 'nonce-${nonce}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'\n`;

export const PERMISSIONS = 'Permissions-Policy: camera=(), geolocation=(), microphone=(), payment=(), usb=()\n';

/** A visit of a route at this origin: its answers are no pages. */
export class RouteVisit extends AroundVisit {
  protected lined(headers: string): string {
    return headers + NO_PAGE;
  }
}
