/** `gateway.sites` of the platform file: names of hosts at which the gateway serves one tenant each. Spec: docs/contract/platform.md §3.5. */
import * as z from 'zod';
import * as kit from './schema-kit.ts';

/**
 * By host name; sites-problems.ts has the rules of names, and those that involve other keys.
 *
 * Who may call: the same callers as without it; a name is no credential. What it costs: nothing in a node without the key, else one lookup in a
 * map by `Host`, and at a site an object. Whom it can hurt: a caller that chooses its `Host` reaches a tenant that it can name by four headers
 * as well. docs/decisions/browser.md BR-1
 */
export const sitesSection = z
  .record(
    z.string(),
    kit.entry({
      tenant: kit.text('the key of a tenant of this file', 'acme:atlas:dev:main'),
      /** Whether browsers may hold the tokens of a login in cookies. */
      cookies: kit.yesNo().default(false),
      /** Whether the files of the product's folder `web` are served. */
      web: kit.yesNo().default(false),
      /** Whether these files leave compressed for callers that send `Accept-Encoding`. */
      compressed: kit.yesNo().default(false),
    }),
  )
  .meta({ description: 'a map of host names', example: '{ app.example.org: { tenant: acme:atlas:dev:main } }' })
  .default({});
