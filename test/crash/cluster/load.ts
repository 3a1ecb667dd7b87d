/** How much the clients of a cluster ask for. */

export interface Load {
  /** Clients of rows whose histories are judged. `rows`: how many rows are used at the same time. */
  readonly registers: { readonly clients: number; readonly rows: number; readonly restMs: number };
  /** Clients that create orders. */
  readonly orders: { readonly clients: number; readonly restMs: number };
}

/** As much as a cluster takes that has the machine for itself: many calls for each fault. */
export const DENSE: Load = {
  registers: { clients: 10, rows: 30, restMs: 0 },
  orders: { clients: 3, restMs: 60 },
};

/** A few requests a second, for many clusters on one machine. Clients share few rows, so that their calls still overlap. */
export const SPARSE: Load = {
  registers: { clients: 4, rows: 3, restMs: 800 },
  orders: { clients: 1, restMs: 1000 },
};
