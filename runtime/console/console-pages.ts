/**
 * What the console's listener answers at paths without a route. Callers: everybody that reaches the listener; the files are the same for all and hold nothing of this node, so no
 * credential is asked for. A request costs a look-up in a map and the copy of a file in memory; a path never reaches the disk. What a page then shows, it asks of routes, which judge its
 * bearer. A fault of a page hurts the operator's browser alone: nothing of a tenant is served at this origin, and no page of another origin can embed this one.
 */
import { randomBytes } from 'node:crypto';
import { limits } from '#config/limits.ts';
import { codingOf } from '#runtime/door/compress/coding.ts';
import type { Visit } from '#runtime/door/port.ts';
import { BUILT_FILE, NO_PAGE, PERMISSIONS, SAFE, pagePolicy, waitingPolicy } from './answer-lines.ts';
import { ASSETS, NONCE_PLACE, type Build, type BuiltFile } from './built-files.ts';

export const BASE = '/console/';

/** Takes the code of a login link (link-visit.ts). */
export const LINK_PATH = `${BASE}login`;

/** The address of a tenant's rows, by the key of its position. */
export const placePath = (position: string): string => `${BASE}at/${position.replaceAll(':', '/')}/data`;

const ASSET_BASE = `${BASE}${ASSETS}/`;

/** Addresses of pages: segments that do not begin with a dot, of characters that need no escape. */
const PAGE = /^\/console\/(?:[\w~:@-][\w~:@.-]*(?:\/[\w~:@-][\w~:@.-]*)*\/?)?$/;

const TEXT = 'Content-Type: text/plain; charset=utf-8\nCache-Control: no-store\n';
const HTML = `Content-Type: text/html; charset=utf-8\nCache-Control: no-store\n${SAFE}${PERMISSIONS}`;
const VERBS = 'Allow: GET, HEAD, OPTIONS\n';

/** Made once: the name changes with the bytes. */
const KEPT = `Cache-Control: public, max-age=${limits.web.immutableSeconds}, immutable\nVary: Accept-Encoding\n`;

/** It asks again by a script: the header `Refresh` would go to the same address, which is no request where that has a fragment, as a login link has. */
const UNBUILT = `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Skep</title>
<h1>The console is being built</h1>
<p>This page opens it when it is there. <code>console/build.log</code> says how far it is. Where nothing builds it: <code>npm run build:console</code> in the clone of Skep; a package has no console yet.</p>
<script nonce="${NONCE_PLACE}">setTimeout(() => location.reload(), ${limits.console.againSeconds * 1000})</script>
</html>
`;

/** Answers a path of the console, and gives true; false at any other path. */
export function answerPage(visit: Visit, current: () => Build | null): boolean {
  const { method, path } = visit;
  const isHome = path === '/' || path === BASE.slice(0, -1);
  if (!isHome && !path.startsWith(BASE)) return false;
  if (method === 'OPTIONS') visit.answer(204, `${VERBS}${NO_PAGE}`, '');
  else if (method !== 'GET' && method !== 'HEAD') visit.answer(405, `${VERBS}${NO_PAGE}`, '');
  else if (isHome) visit.answer(302, `Location: ${BASE}\n${NO_PAGE}`, '');
  else if (path.startsWith(ASSET_BASE)) answerAsset(visit, current()?.assets.get(path.slice(ASSET_BASE.length)));
  else if (PAGE.test(path)) answerShell(visit, current());
  else notFound(visit);
  return true;
}

function answerAsset(visit: Visit, file: BuiltFile | undefined): void {
  if (file === undefined) {
    notFound(visit);
    return;
  }
  const coding = codingOf(visit.header('accept-encoding'));
  const packed = coding === null ? undefined : file.coded[coding];
  const lines = `Content-Type: ${file.type}\n${KEPT}${BUILT_FILE}`;
  if (packed === undefined) visit.answer(200, lines, file.bytes);
  else visit.answer(200, `${lines}Content-Encoding: ${coding}\n`, packed);
}

/** The one page, whatever address it has: it reads its own. */
function answerShell(visit: Visit, build: Build | null): void {
  const nonce = randomBytes(limits.console.nonceBytes).toString('base64url');
  if (build === null) {
    const lines = `${HTML}Retry-After: ${limits.console.againSeconds}\n${waitingPolicy(nonce)}`;
    visit.answer(503, lines, UNBUILT.replaceAll(NONCE_PLACE, nonce));
    return;
  }
  visit.answer(200, `${HTML}${pagePolicy(nonce)}`, build.page.replaceAll(NONCE_PLACE, nonce));
}

function notFound(visit: Visit): void {
  visit.answer(404, `${TEXT}${NO_PAGE}`, 'there is no such file of the console\n');
}
