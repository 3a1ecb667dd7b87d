/** A mutation was sent by GET. In a file of its own: importing it must not load the library. */
export const NOT_BY_GET = 'not by GET';
