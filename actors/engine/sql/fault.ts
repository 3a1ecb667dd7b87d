/** An error while a statement runs: 422 with PostgreSQL's words, nothing is kept. */
export class SqlFault extends Error {}
