/** How main empties a durable outbox: it asks for parcels, hands them over, and tells the outbox what became of each. */

/** What main asks an outbox for. */
export interface OutboxWish {
  readonly tenantNo: number;
  /** Entries that the receiver holds already. */
  readonly except: readonly string[];
  readonly limit: number;
}

/** What an outbox hands over, oldest first; everything in it is durable. */
export interface Taken<Parcel> {
  readonly parcels: readonly Parcel[];
  /** Whether there was more than the limit. */
  readonly more: boolean;
}

/** A tenant whose outbox holds something, durably. Intake has no tenants: it says `NO_TENANT`. */
export interface Pending {
  readonly tenantNo: number;
}

export const NO_TENANT = 0;
