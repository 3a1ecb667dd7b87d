/** Why a certificate was not gained: in words, with what to do, and how long the authority wants to be left alone. */
import { limits } from '#config/limits.ts';

export class AcmeFault extends Error {
  override readonly name = 'AcmeFault';
  readonly mend: string;
  /** `Retry-After` in milliseconds; null where the authority named none. */
  readonly waitMs: number | null;
  /** The last part of the error's type (RFC 8555 §6.7), such as `badNonce`; '' for other faults. */
  readonly kind: string;

  constructor(what: string, mend: string, kind = '', waitMs: number | null = null) {
    super(what);
    this.mend = mend;
    this.kind = kind;
    this.waitMs = waitMs;
  }
}

/** A problem document (RFC 7807), as authorities send it. */
export interface Problem {
  readonly type?: unknown;
  readonly detail?: unknown;
  readonly subproblems?: unknown;
}

const TYPE = /^urn:ietf:params:acme:error:([A-Za-z]{1,40})$/;

export const kindOf = ({ type }: Problem): string => TYPE.exec(typeof type === 'string' ? type : '')?.[1] ?? '';

/** What to do about each kind of error (RFC 8555 §6.7), of which an operator can mend something. */
const MENDS: Readonly<Record<string, string>> = {
  accountDoesNotExist: 'the account is made anew at the next attempt',
  badCSR: 'report it: the request was made by skep',
  badNonce: 'nothing: it is tried again',
  caa: 'a CAA record in the DNS of the name allows other authorities only: add this one',
  connection:
    'let port 80 of the name lead to gateway.tls.acme.http_bind: look at the DNS record, the firewall and forwarded ports',
  dns: 'add an A or AAAA record for the name, and look at its nameservers',
  externalAccountRequired: 'the authority wants an account of its own: set gateway.tls.acme.eab',
  incorrectResponse:
    'something else answers at port 80 of the name: let it lead to gateway.tls.acme.http_bind, at each address of its DNS records',
  invalidContact: 'set gateway.tls.acme.contact to an address that receives mail',
  rateLimited:
    'nothing: it is tried again when the authority allows it. Fewer names, or another authority, need fewer certificates',
  rejectedIdentifier: 'the authority does not certify this name: leave it out of gateway.tls.acme.names',
  serverInternal: 'nothing: the authority has a fault, and it is tried again',
  tls: 'port 80 of the name redirects to something whose TLS does not work: let it lead to gateway.tls.acme.http_bind',
  unauthorized:
    'something else answers at port 80 of the name: let it lead to gateway.tls.acme.http_bind, at each address of its DNS records',
  unsupportedContact: 'set gateway.tls.acme.contact to an address that receives mail',
  userActionRequired: 'the authority has new terms: read them, and do what its message says',
};

/** The fault in a problem document. `where`: what was asked for, such as `validation of app.example.org`. */
export function faultOf(where: string, problem: Problem, status: number, waitMs: number | null): AcmeFault {
  const kind = kindOf(problem);
  const inner = Array.isArray(problem.subproblems) ? (problem.subproblems[0] as Problem | undefined) : undefined;
  const said = [problem.detail, inner?.detail].flatMap((text) => (typeof text === 'string' ? [oneLine(text)] : []));
  const words = said.length === 0 ? `it answered ${status}` : said.join(' / ');
  return new AcmeFault(
    `the authority refused the ${where}: ${words}${kind === '' ? '' : ` (${kind})`}`,
    MENDS[kind] ?? 'it is tried again; where it stays so, ask the authority',
    kind,
    waitMs,
  );
}

/** Words of a stranger for a log line: without control characters, and not longer than a line may be. */
const oneLine = (text: string): string =>
  text.replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ').slice(0, limits.acme.detailCharsMax);

/** The authority could not be asked. */
export function unreachable(host: string, error: unknown): AcmeFault {
  const { code, message } = error as NodeJS.ErrnoException;
  return new AcmeFault(
    `the authority at ${host} ${code === 'ABORT_ERR' ? 'did not answer in time' : `cannot be reached: ${typeof code === 'string' ? code : oneLine(message)}`}`,
    'look at the network of this machine and at gateway.tls.acme.directory; where its certificate is not trusted, at ca_file',
  );
}
