/** Where the gateway is, for a line of a shell. Pure. */
const USUAL_PORT = '8080';

interface At {
  readonly protocol: string;
  readonly hostname: string;
}

/** Beside the console, at the port that the node's setting has; a proxy in front may have another name for it. `bind`: `host:port`. */
export function gatewayAt({ protocol, hostname }: At, bind: unknown): string {
  const port = typeof bind === 'string' ? /:(\d+)$/.exec(bind)?.[1] : undefined;
  return `${protocol}//${hostname}:${port ?? USUAL_PORT}`;
}
