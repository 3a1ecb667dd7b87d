/** `gateway.tls` of the platform file: the certificates that the gateway shows. Spec: docs/contract/platform.md §3.7. */
import { limits } from './limits.ts';
import * as kit from './schema-kit.ts';

const pair = {
  cert: kit.path('the path of a PEM file', './tls/cert.pem'),
  key: kit.path('the path of a PEM file', './tls/key.pem'),
};

export const tlsSection = kit
  .entry({
    ...pair,
    /** Each is shown to callers that name one of its DNS names (SNI); all others are shown the pair above. */
    others: kit.list(kit.entry(pair), 'pairs of PEM files').max(limits.door.tlsPairsMax).default([]),
    /** `Strict-Transport-Security`: browsers come by TLS alone from then on. */
    hsts: kit
      .entry({
        max_age: kit.durationBetween('1s', '17520h').default('8760h'),
        subdomains: kit.yesNo().default(false),
        preload: kit.yesNo().default(false),
      })
      .optional(),
  })
  .optional();
