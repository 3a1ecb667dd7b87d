/** The line that submits a form, for a shell. Pure. */

/** Where a gateway listens unless the platform file says otherwise. */
const GATEWAY_PORT = 8080;
/** More of them would hide the line. */
const FIELDS_MAX = 8;

interface CurlAt {
  readonly protocol: string;
  readonly hostname: string;
}

/** A gateway with TLS is behind its own name; one without is beside the console. */
const gatewayAt = ({ protocol, hostname }: CurlAt): string =>
  protocol === 'https:' ? `https://${hostname}` : `http://${hostname}:${GATEWAY_PORT}`;

/** `fields`: those that are known; a form's own are the operator's, and the answer names what is missing. */
export function curlOf(at: CurlAt, form: string, fields: readonly string[]): string {
  const names = fields.length === 0 ? ['message'] : fields.slice(0, FIELDS_MAX);
  const given = names.map((name) => `  --data-urlencode '${name}=${exampleOf(name)}'`);
  return [`curl ${gatewayAt(at)}/f/${form}`, ...given].join(' \\\n');
}

const exampleOf = (name: string): string => (/mail/i.test(name) ? 'ada@example.org' : 'Hello');
