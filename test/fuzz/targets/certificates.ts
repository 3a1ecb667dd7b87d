/** DER: certificates, requests for one, lists of revoked ones, questions to the OCSP responder. */
import { createPrivateKey, createPublicKey, sign } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { linear, type Target } from '#test/fuzz/target.ts';
import { must } from './must.ts';

const NAMES = {
  dns: ['api.example.org', '*.example.org'],
  ip: ['10.0.0.7', '2001:db8::1'],
  uri: ['spiffe://hive/ns/a'],
};
const COVERS = ['/actors/vault/pki/'];
const OIDS = ['0603550403', '0603551d11', '06092a864886f70d01090e', '06052b0e03021a', '0609608648016503040201'];
const WORDS = [...OIDS, '0101ff', '0500', '30800000', '3084ffffffff', '1f8101', '020100', '0201ff'].map((hex) =>
  Buffer.from(hex, 'hex').toString('latin1'),
);
const DAY = Date.parse('2026-11-27T00:00:00Z');

/** Made once: a key and a signature are others each time, and rounds of one seed try the same inputs. */
interface Made {
  readonly key: string;
  readonly authority: string;
  readonly leaf: string;
  readonly list: string;
}

const MADE = JSON.parse(readFileSync(new URL('../seeds/certificates.json', import.meta.url), 'utf8')) as Made;
const derOf = (name: keyof Made): Buffer => Buffer.from(MADE[name], 'base64');
const KEY = createPrivateKey({ key: derOf('key'), format: 'der', type: 'pkcs8' });

async function issuerOfKey() {
  const { issuerOf } = await import('#actors/vault/pki/issuer.ts');
  const { writeName } = await import('#actors/vault/pki/name.ts');
  return issuerOf(KEY, writeName({ organization: 'Skep', commonName: 'Test CA' }), DAY * 2);
}

export async function ocspTarget(): Promise<Target> {
  const { readOcspRequest } = await import('#actors/vault/pki/ocsp-request.ts');
  const { answerOcsp } = await import('#actors/vault/pki/ocsp-response.ts');
  const { element, explicit, integer, octetString, sequence, unsigned } =
    await import('#actors/vault/pki/der-write.ts');
  const { extension } = await import('#actors/vault/pki/extensions.ts');
  const { oidOf, HASHES } = await import('#actors/vault/pki/oids.ts');
  const issuer = await issuerOfKey();
  const id = (hash: 'sha1' | 'sha256', serial: number): Buffer => {
    const [dotted] = Object.entries(HASHES).find(([, name]) => name === hash)!;
    const { name, key } = issuer.certId[hash];
    return sequence(sequence(oidOf(dotted)), octetString(name), octetString(key), unsigned(Buffer.of(serial)));
  };
  const ask = (ids: readonly Buffer[], ...more: readonly Buffer[]): Buffer =>
    sequence(sequence(sequence(...ids.map((one) => sequence(one))), ...more));
  const nonce = element(explicit(2), sequence(extension('ocspNonce', Buffer.alloc(32, 9))));
  return {
    name: 'ocsp',
    form: 'der',
    covers: COVERS,
    seeds: [
      ask([id('sha1', 5)]),
      ask([id('sha256', 5), id('sha1', 127), id('sha1', 5)], nonce),
      sequence(
        sequence(element(explicit(0), integer(0)), sequence(sequence(id('sha1', 1)))),
        element(explicit(0), sequence()),
      ),
    ],
    words: WORDS,
    bytesMax: 16_384,
    stepsMax: linear(3000, 20),
    run: (input) => {
      const request = readOcspRequest(input);
      if (typeof request === 'string') return must(request.length > 0 && request.length < 500, 'an empty fault');
      const { der } = answerOcsp(issuer, request, () => 'good', DAY);
      for (const one of request.ids) must(der.includes(one.bytes), 'the answer leaves a serial out');
    },
  };
}

/** What a request asks for, signed by its key after each change; what is certified then reads as it was asked for. */
export async function requestTarget(): Promise<Target> {
  const { parseCertificateRequest, readCertificateRequest } = await import('#actors/vault/pki/certificate-request.ts');
  const { canonicalNames } = await import('#actors/vault/pki/alt-name.ts');
  const { CertificateMaker } = await import('#actors/vault/pki/certificate.ts');
  const { readCertificate } = await import('#actors/vault/pki/read-certificate.ts');
  const { bitString, element, explicit, integer, sequence, TAG } = await import('#actors/vault/pki/der-write.ts');
  const { subjectAltName } = await import('#actors/vault/pki/extensions.ts');
  const { ECDSA_ALGORITHM } = await import('#actors/vault/pki/issuer.ts');
  const { writeName } = await import('#actors/vault/pki/name.ts');
  const { EXTENSION_REQUEST, oidOf } = await import('#actors/vault/pki/oids.ts');
  const { spkiOf } = await import('#actors/vault/pki/public-key.ts');
  const issuer = await issuerOfKey();
  const maker = new CertificateMaker(issuer, {});
  const subject = writeName({ organization: 'Skep', organizationalUnit: 'ops', commonName: 'api' });
  const extensions = sequence(subjectAltName(NAMES, false));
  const attribute = sequence(oidOf(EXTENSION_REQUEST), element(TAG.set, extensions));
  const info = (attributes: Buffer): Buffer =>
    sequence(integer(0), subject, spkiOf(createPublicKey(KEY)), element(explicit(0), attributes));
  return {
    name: 'certificate-request',
    form: 'der',
    covers: COVERS,
    seeds: [info(attribute), info(Buffer.alloc(0))],
    words: WORDS,
    bytesMax: 8192,
    stepsMax: linear(5000, 40),
    run: (input) => {
      const der = sequence(input, ECDSA_ALGORITHM, bitString(sign('sha256', input, KEY)));
      void readCertificateRequest(input.toString('latin1'));
      const read = parseCertificateRequest(der);
      if (typeof read === 'string') return;
      const names = canonicalNames(read.names);
      if (typeof names === 'string') return;
      const order = { serial: Buffer.of(1), subject: read.subject, names, spki: read.spki, isRsa: false };
      const made = readCertificate(maker.make({ ...order, nowMs: DAY, lifetimeMs: 1000 }).der);
      must(
        typeof made !== 'string' && JSON.stringify(made.names) === JSON.stringify(names),
        'other names are certified',
      );
    },
  };
}

export async function certificateTarget(): Promise<Target> {
  const { readCertificate } = await import('#actors/vault/pki/read-certificate.ts');
  const { readRevocationList } = await import('#actors/vault/pki/read-revocation-list.ts');
  const { fromPem, toPem } = await import('#actors/vault/pki/pem.ts');
  return {
    name: 'certificate',
    form: 'der',
    covers: COVERS,
    seeds: [derOf('authority'), derOf('leaf'), derOf('list')],
    words: WORDS,
    bytesMax: 16_384,
    stepsMax: linear(3000, 40),
    run: (input) => {
      const facts = readCertificate(input);
      if (typeof facts !== 'string') must(facts.notBeforeMs <= Infinity && facts.serial !== '', 'no serial');
      const revoked = readRevocationList(input);
      if (typeof revoked !== 'string') must(!Number.isNaN(revoked.nextUpdateMs), 'no time');
      must(fromPem(toPem('CERTIFICATE', input), ['CERTIFICATE'])?.equals(input) ?? input.length === 0, 'another PEM');
      void fromPem(input.toString('latin1'), ['CERTIFICATE']);
    },
  };
}
