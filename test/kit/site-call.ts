/** Calls to the host of a site: `Host` is chosen, which `fetch` does not allow, and all headers are as they are given. */
import { request, type IncomingHttpHeaders, type OutgoingHttpHeaders } from 'node:http';

export interface SiteAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** The body as JSON; undefined when it is not. */
  readonly json: Readonly<Record<string, unknown>> | undefined;
  /** The cookies that it sets: name and value, then the attributes. */
  readonly cookies: readonly (readonly [name: string, value: string, attributes: string])[];
}

/** One request; an object body is sent as JSON. */
export function askSite(
  base: string,
  host: string,
  method: string,
  path: string,
  headers: OutgoingHttpHeaders = {},
  body?: object | string,
): Promise<SiteAnswer> {
  const { hostname, port } = new URL(base);
  const bytes = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body);
  const length = bytes === '' && method === 'GET' ? {} : { 'Content-Length': Buffer.byteLength(bytes) };
  return new Promise((resolve, reject) => {
    const options = { hostname, port, method, path, headers: { ...headers, Host: host, ...length } };
    const sent = request(options, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (piece: string) => (text += piece));
      answer.on('error', reject).on('end', () => resolve(answerOf(answer.statusCode!, answer.headers, text)));
    });
    sent.on('error', reject).end(bytes);
  });
}

function answerOf(status: number, headers: IncomingHttpHeaders, body: string): SiteAnswer {
  const cookies = (headers['set-cookie'] ?? []).map((line) => {
    const [pair = '', ...attributes] = line.split('; ');
    const at = pair.indexOf('=');
    return [pair.slice(0, at), pair.slice(at + 1), attributes.join('; ')] as const;
  });
  const isJson = headers['content-type']?.startsWith('application/json') === true;
  return { status, headers, body, json: isJson ? (JSON.parse(body) as Record<string, unknown>) : undefined, cookies };
}
