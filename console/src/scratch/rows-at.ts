/** The route of the rows that an expression is about. Pure. */
export interface RowsWish {
  readonly entity?: string;
  /** Absent for a list. */
  readonly id?: string;
}

export const rowsAt = ({ entity = '', id }: RowsWish): string =>
  `/data/rest/${encodeURIComponent(entity)}${id === undefined ? '' : `/id/${encodeURIComponent(id)}`}`;
