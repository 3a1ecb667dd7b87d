/** The answer that a file is, by what the request says of what it has already: RFC 9110 §13 (conditions), §14 (ranges), RFC 9111. Pure. */
import { limits } from '#config/limits.ts';
import { codingOf, type Coding } from '#runtime/door/compress/coding.ts';
import { VARY_BY_CODING } from '#runtime/door/compress/compressing-visit.ts';
import { isText } from '#runtime/door/compress/gains.ts';
import { rangeOf } from '#actors/kit/file/range.ts';
import type { KeptFile } from '#actors/kit/jobs.ts';
import { mediaTypeOf } from './media-type.ts';

/** What a request says; '' where it says nothing. */
export interface FileWish {
  readonly ifNoneMatch: string;
  readonly range: string;
  readonly ifRange: string;
  /** `Accept-Encoding`; null where the site compresses nothing. */
  readonly accepted: string | null;
}

export interface FileAnswer {
  readonly status: 200 | 206 | 304 | 416;
  readonly lines: string;
  /** The coding of the body, which is then the whole file; null for plain bytes. */
  readonly coding: Coding | null;
  /** The part of the file that is the body; null for none. */
  readonly part: { readonly from: number; readonly to: number } | null;
}

export function answerFile(file: KeptFile, wish: FileWish): FileAnswer {
  const type = mediaTypeOf(file.name);
  const varies = wish.accepted !== null && isCompressed(file, type);
  const coding = varies && wish.range === '' ? codingOf(wish.accepted) : null;
  // Another tag for each coding (RFC 9110 §8.8.3.3), so that parts of one are never joined with parts of another.
  const etag = `"${file.sha256.slice(0, 32)}${coding === null ? '' : `-${coding}`}"`;
  const kept = `ETag: ${etag}\nCache-Control: ${controlOf(file.name)}\n${varies ? VARY_BY_CODING : ''}`;
  if (names(wish.ifNoneMatch, etag)) return { status: 304, lines: kept, coding: null, part: null };
  const range = wish.ifRange === '' || wish.ifRange === etag ? rangeOf(wish.range, file.size) : null;
  if (range === undefined)
    return {
      status: 416,
      lines: `Content-Range: bytes */${file.size}\nX-Content-Type-Options: nosniff\n`,
      coding: null,
      part: null,
    };
  const lines = `Content-Type: ${type}\n${kept}Accept-Ranges: bytes\nX-Content-Type-Options: nosniff\n${framing(type)}`;
  const whole = { from: 0, to: file.size };
  if (coding !== null) return { status: 200, lines: `${lines}Content-Encoding: ${coding}\n`, coding, part: whole };
  if (range === null) return { status: 200, lines, coding, part: whole };
  const content = `Content-Range: bytes ${range.from}-${range.to - 1}/${file.size}\n`;
  return { status: 206, lines: lines + content, coding, part: range };
}

/** Whether a file leaves compressed where its caller and its site want that: text, not so short that it gains nothing, nor so long that it could not be kept. */
function isCompressed({ size }: KeptFile, type: string): boolean {
  const isMeant = size >= limits.door.compressedBytesMin && size <= limits.web.compressedBytesMax;
  return isMeant && isText(type.split(';', 1)[0]!);
}

/** A name with a hash in it, as build tools write it: `assets/index-BX1c2dE3.js`. At least one digit, so that a word of eight letters is none. */
const HASHED = /^\/assets\/(?:.*\/)?[^/]*[.-](?=[A-Za-z_-]*[0-9])[A-Za-z0-9_-]{8,}\.[A-Za-z0-9]+$/;

/** Other names keep their address when their bytes change: a browser asks each time, and mostly gets 304. */
function controlOf(name: string): string {
  return HASHED.test(name) ? `public, max-age=${limits.web.immutableSeconds}, immutable` : 'no-cache';
}

/** Another site must not show a page that is logged in by cookie within its own (clickjacking); a page's own policy in a `<meta>` cannot say that. */
function framing(type: string): string {
  return type.startsWith('text/html') ? "Content-Security-Policy: frame-ancestors 'self'\n" : '';
}

/** Whether `If-None-Match` names the tag; weak comparison (RFC 9110 §13.1.2). */
function names(list: string, etag: string): boolean {
  if (list === '') return false;
  if (list.trim() === '*') return true;
  return list.split(',').some((one) => one.trim().replace(/^W\//, '') === etag);
}
