/** The types of WebAssembly that are used here. TypeScript has them only in the browser's library, which a server does not load. */

/** A compiled module, opaque to its users. */
export interface WasmModule {
  readonly [Symbol.toStringTag]: string;
}

export interface WasmMemory {
  readonly buffer: ArrayBufferLike;
  grow(pages: number): number;
}

interface WebAssemblyLike {
  compile(bytes: Uint8Array): Promise<WasmModule>;
  readonly Memory: { readonly prototype: WasmMemory };
}

export const { WebAssembly } = globalThis as unknown as { WebAssembly: WebAssemblyLike };
