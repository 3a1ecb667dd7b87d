/** A mutation was asked for by GET. In a file of its own: what asks for it must not load the library. */
export const NOT_BY_GET = 'not by GET';
