/** The kinds of certificate holders. */
export const CERTIFICATE_KINDS = ['service', 'node', 'workload', 'operator'] as const;
export type CertificateKind = (typeof CERTIFICATE_KINDS)[number];
