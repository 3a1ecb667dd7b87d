/** TLS between nodes: both show a certificate of one authority, with the name of their node. */
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { TLSSocket } from 'node:tls';
import type { Platform } from '#config/platform.ts';

export type LinkConfig = NonNullable<Platform['cluster']['link']>;

/** What each end shows and demands, as its files are now. Throws where one cannot be read. */
export function tlsOf({ ca, certificate, key }: Pick<LinkConfig, 'ca' | 'certificate' | 'key'>) {
  return {
    ca: readFileSync(ca),
    cert: readFileSync(certificate),
    key: readFileSync(key),
    minVersion: 'TLSv1.3',
    rejectUnauthorized: true,
  } as const;
}

/** Whether a certificate is that of a node: by its subject alternative names, or its common name where it has none (RFC 6125 §6.4.4). No wildcard stands for a node. */
export function isOfNode(certificate: X509Certificate | undefined, node: string): boolean {
  return certificate?.checkHost(node, { subject: 'default', wildcards: false }) !== undefined;
}

export const shownBy = (socket: TLSSocket): X509Certificate | undefined => socket.getPeerX509Certificate();

/** For `tls.connect`: the host may be any address, and the name of the node counts. */
export function checkedAs(node: string): (host: string, shown: { readonly raw: Buffer }) => Error | undefined {
  return (_host, { raw }) =>
    isOfNode(new X509Certificate(raw), node) ? undefined : new Error(`the certificate is not that of node ${node}`);
}
