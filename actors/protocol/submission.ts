/** A submission of a tenant's form on its way from intake to the tenant: main's relay takes batches from the one and hands them to the other. */

/** A submission as its tenant gets it. */
export interface TenantSubmission {
  readonly id: string;
  readonly form: string;
  /** RFC 3339 UTC with milliseconds. */
  readonly received_at: string;
  readonly fields: Readonly<Record<string, string | number | boolean>>;
  /** The address of the person who submitted, in lower case; '' where the form names none. */
  readonly person: string;
  /** Until when it is kept, in milliseconds since the epoch; null for ever. */
  readonly until_ms: number | null;
}

/** Submissions that have one tenant; `more`: others of it wait. */
export interface TakenSubmissions {
  readonly submissions: readonly TenantSubmission[];
  readonly more: boolean;
}

/** What a relay hands over at once. */
export interface SubmissionParcel {
  readonly tenantNo: number;
  readonly submissions: readonly TenantSubmission[];
}

/** The tenant has these, durably. */
export interface SubmissionsSettled {
  readonly tenantNo: number;
  readonly ids: readonly string[];
}

/** An address as persons are compared by: in lower case, as identity compares addresses, and without space around it. */
export const foldedAddress = (address: string): string => address.trim().toLowerCase();
