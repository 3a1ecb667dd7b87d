/** What goes wrong while a statement runs: 422 with PostgreSQL's words, nothing kept. */
export class SqlFault extends Error {}
