/** `gateway.tls` of the platform file: the certificates that the gateway shows. Spec: docs/contract/platform.md §3.7. */
import { limits } from './limits.ts';
import * as kit from './schema-kit.ts';

const pair = {
  cert: kit.path('the path of a PEM file', './tls/cert.pem'),
  key: kit.path('the path of a PEM file', './tls/key.pem'),
};

/**
 * Certificates that the node gains by itself, by ACME (RFC 8555).
 *
 * Which requests cause an order: none. A timer of the node does, and an operator over the control socket. What it costs: an order in about sixty
 * days for each name, and a listener that answers one path. Whom it can hurt: the renewal of a name, and nothing else. docs/decisions/browser.md BR-4
 */
const acme = kit
  .entry({
    directory: kit.pattern(
      /^https:\/\/[^\s]+$/,
      'the https URL of the directory of an authority',
      'https://acme-v02.api.letsencrypt.org/directory',
    ),
    /** That the operator has read the terms of the authority: nothing is ordered without. */
    agree_terms: kit.yesNo().default(false),
    contact: kit
      .list(kit.pattern(/^[^\s@,;:<>]+@[^\s@,;:<>]+$/, 'a mail address', 'ops@example.org'), 'mail addresses')
      .max(limits.acme.contactsMax)
      .default([]),
    /** Where the authority's question for a token arrives: port 80 of each name has to lead here. */
    http_bind: kit.bind(),
    /** The port of `https://` in the answers to everything else that comes there. */
    https_port: kit.whole(1, 65_535, 443).default(443),
    /** All names of `gateway.sites` where it is left out. */
    names: kit.list(kit.text('the name of a site', 'app.example.org'), 'names of sites').optional(),
    /** The certificate of a private authority; the public ones are trusted where it is left out. */
    ca_file: kit.path('the path of a PEM file', './tls/authority.pem').optional(),
    /** An account that exists at the authority already (RFC 8555 §7.3.4). */
    eab: kit
      .entry({ kid: kit.text('the key identifier', 'kid-1'), hmac: kit.secret('the HMAC key, in base64url') })
      .optional(),
  })
  .optional();

export const tlsSection = kit
  .entry({
    /** Both or neither; resolve-tls.ts says when they may be missing. */
    cert: pair.cert.optional(),
    key: pair.key.optional(),
    acme,
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
