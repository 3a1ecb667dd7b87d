/**
 * What a body is, by the shape of its row: a JSON value, a text of another media type, bytes, or nothing. The compiler checks a handler's
 * answers against these types (route.ts), and descriptions of answers are made from the same shapes (answers.ts).
 */
import type { z } from 'zod';

/** A body that is not JSON, of media type `M`, or of any. Only the types of shapes have the brand: the body itself is a string, or bytes. */
export type Text<M extends string = never> = string & z.$brand<M>;
export type Bytes<M extends string = never> = Uint8Array & z.$brand<M>;

type Scalar = string | number | bigint | boolean | null | undefined | Uint8Array;

/** A value that a handler answers with and keeps: its arrays and objects may be read-only. */
export type Shown<T> = unknown extends T
  ? T
  : T extends Scalar
    ? T
    : T extends readonly (infer E)[]
      ? readonly Shown<E>[]
      : { readonly [K in keyof T]: Shown<T[K]> };

/** The body that a shape stands for; `undefined` for none. */
export type BodyOf<Z> = Z extends z.ZodType ? Shown<z.output<Z>> : undefined;

/** The kinds of a body that are JSON. */
export type Json<B> = unknown extends B ? B : Exclude<B, Text | Bytes>;

declare const json: unique symbol;

/**
 * JSON text of a T, made without the value: rows are written straight from their slots, or the text is kept. Only `renderedAs`
 * makes one, in the functions that the README of `actors/protocol` lists beside the tests that hold their texts.
 */
export type Rendered<T> = string & { readonly [json]: T };

/** A body that leaves in pieces as its caller reads. When the caller leaves early, the iterator's `return` runs, so that the source can release what it holds. */
export interface ReplyStream {
  /** Bytes in all, or null when the length is not known yet: the answer is then chunked. */
  readonly length: number | null;
  readonly pieces: AsyncIterable<Uint8Array>;
  /** Called when the caller has left or is cut off, for a source that may be waiting just then. */
  readonly left?: () => void;
}

/** Pieces of the JSON text of a T. */
export type RenderedStream<T> = ReplyStream & { readonly [json]: T };

/** The types that JSON goes under: its own, and those that end in `+json`. */
export type JsonType = `application/${'' | `${string}+`}json${string}`;

/** The content types of a body's texts or bytes: the media type that the shape names, with or without parameters; any where it allows any. */
export type TypeFor<B, Kind> = unknown extends B ? string | undefined : TypeOf<Extract<B, Kind>>;
type TypeOf<B> = B extends Brand<infer M> ? WithParameters<keyof M & string> : never;
type Brand<M> = { readonly [K in typeof z.$brand]: M };
type WithParameters<M extends string> = M extends '*/*' ? string : M | `${M};${string}`;

/** Declares that a text is the JSON of a T. Only functions that render a T may use it (test/architecture/renderers.test.ts). */
export function renderedAs<T>(text: string): Rendered<T> {
  return text as Rendered<T>;
}

/** As `renderedAs`, for a body in pieces. */
export function renderedInPieces<T>(stream: ReplyStream): RenderedStream<T> {
  return stream as RenderedStream<T>;
}

/** The JSON text of a value, for answers that are kept as text. */
export function rendered<T>(value: T): Rendered<T> {
  return renderedAs<T>(JSON.stringify(value));
}
