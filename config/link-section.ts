/** `cluster.link` of the platform file. Spec: docs/how-to/managed-database.md. */
import * as kit from './schema-kit.ts';

const pem = () => kit.path('the path of a PEM file', './link/cert.pem');

/**
 * How the nodes on one log reach each other, so that the door of each answers for all tenants.
 *
 * Who may connect: nodes that show a certificate of this authority with their own name. What it costs: one connection for each two nodes. Whom it can hurt: runtime/link/README.md
 */
export const linkSection = kit
  .entry({
    bind: kit.bind(),
    /** Where the others reach it; `bind` where it names an address. */
    address: kit.bind().optional(),
    certificate: pem(),
    key: pem(),
    ca: pem(),
  })
  .optional();
