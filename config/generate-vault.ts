/** Starter files of the vault, commented, that load without problems. Spec: docs/contract/vault.md §8.1. */
import { LISTENER_ADDRESSES, defaults } from './defaults.ts';

const { backend } = defaults.vault;

const COMMON = `# The names of this vault; they are parts of the names of its audit logs.
datacenter: ${defaults.vault.datacenter}
cluster: ${defaults.vault.cluster}
sid: ${defaults.vault.sid}

# The first part of every SPIFFE id: spiffe://<trust_domain>/operator/<name>, …/node/<id>, ….
trust_domain: ${defaults.vault.trust_domain}

# Policies: *.yaml files with rows {subject, path, capabilities}. Without one, operators may do everything, and other callers nothing.
policies: { dir: ./policies }
`;

const PRODUCTION = `# A vault for production. Serve it with:  skep vault server -f <this file>
# Every key that is left out has its default. Relative paths start at this file.
profile: production
${COMMON}
# ${LISTENER_ADDRESSES.vault} unless set. TLS 1.3 only; operators and agents show certificates.
# host: 0.0.0.0
# port: 7999
# public_url: https://vault.example.org:7999     # issued certificates name it for revocation

# Port 7998 serves /pki/ca, /pki/crl and /pki/ocsp over plain HTTP, as openssl, certtool and browsers expect; the documents themselves are signed.
# pki: { port: 7998, url: "http://vault.example.org:7998" }     # or pki: { listen: false }
tls: { cert: ./tls/vault.pem, key: ./tls/vault-key.pem }

# Certificates of operators are issued by this authority and name spiffe://<trust_domain>/operator/<name>.
operators: { ca: ./tls/operators-ca.pem }

# lmdb (embedded), etcd or postgres; the file backend is for development and refused here.
backend:
  kind: ${backend.kind}
  # kind: etcd
  # endpoints: [https://10.0.0.1:2379, https://10.0.0.2:2379]
  # tls: { ca: ./tls/etcd-ca.pem, cert: ./tls/etcd.pem, key: ./tls/etcd-key.pem }
  # user: skep       # for an etcd with authentication; the password is in a file or a variable
  # password: { file: ./etcd.password }
  # kind: postgres   # with a synchronous standby, unless replication: managed says that the provider keeps the copies
  # url: "\${SKEP_VAULT_URL}"

# Events go to the log, unless there is an audit service; with one, reads and writes can wait for their record.
# audit:
#   required: true
#   endpoint: https://audit.example.org:8443     # its file names vault: { ca: … }, the issuer of the certificate below
#   tls: { ca: ./tls/audit-ca.pem, cert: ./tls/vault-client.pem, key: ./tls/vault-client-key.pem }   # spiffe://<domain>/vault/<sid>

# The root key: 32 bytes in a file (openssl rand -base64 32 > root.key; chmod 600 root.key), in a variable, or in shares.
# To change it: mv root.key root-previous.key, write a new root.key, send SIGHUP; afterwards root-previous.key can be deleted.
# SIGHUP reads the files that are named here again (keys, policies, operators' issuers and lists), not this one.
seal:
  kind: key
  current: { file: ./root.key }
  previous: { file: ./root-previous.key }     # the file may be missing
  # kind: shamir     # then: skep vault init --shares 5 --threshold 3, and skep vault unseal at every start
`;

const DEVELOPMENT = `# A vault for development: plain HTTP on loopback; every caller is an operator. Serve it with:  skep vault server -f <this file>
profile: development
${COMMON}
# lmdb, or one readable file.
backend: { kind: file, dir: ./vault-data }

# Without a root key nothing is encrypted. To encrypt: export SKEP_VAULT_ROOT_KEY=$(openssl rand -base64 32), and
# seal: { current: { env: SKEP_VAULT_ROOT_KEY } }
`;

export function generateVault(profile: 'bootstrap' | 'bootstrap-dev'): string {
  return profile === 'bootstrap' ? PRODUCTION : DEVELOPMENT;
}
