/**
 * The wire between door and host. One `postMessage` per event-loop turn and direction carries a flat array: a kind, then
 * records of a fixed stride. Bodies up to INLINE_BYTES_MAX travel as latin1 strings (lossless for bytes), larger ones as bytes.
 */
export const PROTOCOL_VERSION = 2;
export const INLINE_BYTES_MAX = 4096;

/** Kinds of batch, first element of every message. */
export const REQUESTS = 1;
export const REPLIES = 2;
export const CONTROL = 3;
/** Pieces of streamed bodies, and messages about them (stream.ts). */
export const STREAM = 4;

/** A request record: no, route, tenant, method, path parameters, query, authorization, request id, extra headers (`name:value\n`…, those that the row names), body. */
export const REQUEST_STRIDE = 10;
/** A reply record: no, status, headers (`Name: value\n`…; '' stands for JSON), body. */
export const REPLY_STRIDE = 4;
/** A stream record: no, part, payload. */
export const STREAM_STRIDE = 3;

/** In the body field of a request: the body follows in pieces. A reply has the body's length there, or this when the length is unknown. */
export const STREAMED = -1;

export type Body = string | Uint8Array;
export type Flat = (number | string | Uint8Array)[];

/** In the tenant field, below 1: why no tenant was found. */
export const NO_POSITION = 0;
export const MALFORMED_POSITION = -1;
export const UNKNOWN_POSITION = -2;
export const INACTIVE_TENANT = -3;

/** Pseudo header of the extra field: the caller's address, on routes whose row names it. */
export const CALLER_IP = ':ip';
/** Another: the key of the caller's bucket, which is its address, an IPv6 one cut to `rates.ipv6_prefix`. */
export const CALLER_BUCKET = ':bucket';
/** Another: the certificate that the caller showed, DER in base64; '' without TLS or without one. It is not verified yet. */
export const PEER_CERTIFICATE = ':peer';
/** Another, first of all, on sampled requests only: trace id, the door's span, tracestate (actors/host/turn-trace.ts). */
export const TRACE = ':trace';
/** Another, on rows with `cookies`: the answer's tokens belong in cookies of the site, as its page asked, or these cookies end; where a row tells of them: the site has them. Otherwise, at the console, where the cookie of the login is (cookies.ts). */
export const IN_COOKIES = ':cookies';
/** Another, on these rows: the refresh token of the cookie. */
export const REFRESH_COOKIE = ':refresh';
/** Another: the verb as it came, where HEAD must be told from GET. */
export const VERB = ':verb';
/** Another: the request is the handshake of a WebSocket, and the door can make its connection one. */
export const SOCKET = ':socket';
/** Another: the request is a message of a WebSocket. */
export const ON_SOCKET = ':on-socket';
/** The header with the protocols that the caller of a WebSocket speaks, first the one that it likes best (RFC 6455 §11.3.4). */
export const SOCKET_PROTOCOL = 'sec-websocket-protocol';
