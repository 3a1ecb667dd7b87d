/** Whom a certificate is for. */
export const CERTIFICATE_KINDS = ['service', 'node', 'workload', 'operator'] as const;
export type CertificateKind = (typeof CERTIFICATE_KINDS)[number];
