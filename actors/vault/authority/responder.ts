/**
 * The OCSP responder signs the states that the certificate book knows. Answers to requests without a nonce are cached while they are young (RFC
 * 5019 §6).
 */
import { hash } from 'node:crypto';
import { limits } from '#config/limits.ts';
import { OCSP_MALFORMED, answerOcsp, type SerialState } from '../pki/ocsp-response.ts';
import { readOcspRequest, type OcspRequest } from '../pki/ocsp-request.ts';
import { serialText } from '../pki/serial.ts';
import type { CertificateBook } from './certificate-book.ts';
import type { PkiPorts } from './ports.ts';
import type { SealedKeys } from './sealed-keys.ts';

export interface OcspReply {
  readonly der: Buffer;
  /** How a cache may store the answer; null when no cache may store it. */
  readonly times: { readonly thisUpdateMs: number; readonly nextUpdateMs: number; readonly etag: string } | null;
}

const MALFORMED: OcspReply = { der: OCSP_MALFORMED, times: null };

export class Responder {
  readonly #ports: PkiPorts;
  readonly #keys: SealedKeys;
  readonly #book: CertificateBook;
  readonly #kept = new Map<string, OcspReply>();
  #generation = 0;
  /** Called when cached answers are not true any more, before anything says that a certificate was revoked. */
  onForgotten: () => void = () => undefined;

  constructor(ports: PkiPorts, keys: SealedKeys, book: CertificateBook) {
    this.#ports = ports;
    this.#keys = keys;
    this.#book = book;
    book.onRevoked(() => this.forget());
  }

  /** Answers a request in DER. */
  async answer(der: Buffer): Promise<OcspReply> {
    const request = readOcspRequest(der);
    return typeof request === 'string' ? MALFORMED : this.#answer(request);
  }

  /** The cached answer for a request as it stands in the path, encoded or not; null for none. */
  kept(raw: string): OcspReply | null {
    const kept = this.#kept.get(raw);
    if (kept === undefined) return null;
    if (this.#ports.clock.now() < kept.times!.thisUpdateMs + limits.pki.ocspKeptMs) return kept;
    this.#kept.delete(raw);
    return null;
  }

  /** Answers the GET form: base64 of the request. */
  async answerGet(text: string): Promise<OcspReply> {
    const kept = this.kept(text);
    if (kept !== null) return kept;
    const der = Buffer.from(text, 'base64');
    // RFC 5019 §5 allows only the canonical base64; other spellings would fill the cache with copies of one answer.
    if (der.length === 0 || !isBase64Of(text, der)) return MALFORMED;
    const request = readOcspRequest(der);
    if (typeof request === 'string') return MALFORMED;
    const generation = this.#generation;
    const reply = await this.#answer(request);
    // A revocation came between: no cache may keep what was read before it, neither this one nor the door's.
    if (generation !== this.#generation) return { der: reply.der, times: null };
    if (request.nonce === null) this.#keep(text, reply);
    return reply;
  }

  /** Empties the cache. */
  forget(): void {
    this.#generation++;
    this.#kept.clear();
    this.onForgotten();
  }

  /** Caches the answer under both spellings that clients use: plain base64, and percent-encoded whole. Any other spelling is decoded afresh. */
  #keep(text: string, reply: OcspReply): void {
    for (const name of new Set([text, encodeURIComponent(text)])) {
      if (this.#kept.size >= limits.pki.ocspAnswersKept) this.#kept.delete(this.#kept.keys().next().value!);
      this.#kept.set(name, reply);
    }
  }

  async #answer(request: OcspRequest): Promise<OcspReply> {
    const { issuer } = await this.#keys.authority();
    const states = new Map<string, SerialState>();
    for (const { serial } of request.ids) {
      const text = serialText(serial);
      if (!states.has(text)) states.set(text, await this.#stateOf(text));
    }
    const stateOf = (serial: Buffer): SerialState => states.get(serialText(serial))!;
    const { der, thisUpdateMs, nextUpdateMs } = answerOcsp(issuer, request, stateOf, this.#ports.clock.now());
    const etag = `"${hash('sha256', der, 'base64url')}"`;
    return { der, times: request.nonce === null ? { thisUpdateMs, nextUpdateMs, etag } : null };
  }

  async #stateOf(serial: string): Promise<SerialState> {
    const record = await this.#book.read(serial);
    if (record === null) return 'unknown';
    if (record.revoked_at === undefined) return 'good';
    return { revokedAtMs: Date.parse(record.revoked_at), reason: record.reason! };
  }
}

/** Whether the text is the base64 of the bytes, with or without padding. Only a text of a matching length is searched for padding. */
function isBase64Of(text: string, bytes: Buffer): boolean {
  const padded = bytes.toString('base64');
  return text.length <= padded.length && padded.replace(/=+$/, '') === text.replace(/=+$/, '');
}
