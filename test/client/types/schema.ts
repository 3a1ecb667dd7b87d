/** Types as `skep types` writes them, of a small desk. */

export interface Organisation {
  readonly id: string;
  readonly name: string;
  readonly version: number;
}

export interface Ticket {
  readonly id: string;
  readonly subject: string;
  readonly status: 'open' | 'solved' | 'closed';
  readonly rank: number | null;
  readonly organisation_id: string | null;
  readonly meta: unknown;
  readonly version: number;
}

export interface Comment {
  readonly id: string;
  readonly ticket_id: string;
  readonly text: string;
  readonly version: number;
}

export interface Overdue {
  readonly id: string;
  readonly days: number | null;
}

export interface Schema {
  readonly entities: {
    readonly organisation: {
      readonly row: Organisation;
      readonly create: { readonly name: string };
      readonly update: { readonly name?: string };
      readonly one: {};
      readonly many: { readonly ticket_by_organisation: 'ticket' };
      readonly changes: false;
    };
    readonly ticket: {
      readonly row: Ticket;
      readonly create: {
        readonly subject: string;
        readonly rank?: number | null;
        readonly organisation_id?: string | null;
      };
      readonly update: { readonly subject?: string; readonly status?: Ticket['status']; readonly rank?: number | null };
      readonly one: { readonly organisation: 'organisation' };
      readonly many: { readonly comment_by_ticket: 'comment' };
      readonly changes: true;
    };
    readonly comment: {
      readonly row: Comment;
      readonly create: { readonly ticket_id: string; readonly text: string };
      readonly update: { readonly text?: string };
      readonly one: { readonly ticket: 'ticket' };
      readonly many: {};
      readonly changes: false;
    };
    readonly overdue: {
      readonly row: Overdue;
      readonly create: never;
      readonly update: never;
      readonly one: {};
      readonly many: {};
      readonly changes: false;
    };
  };
  readonly actions: {
    readonly report: {
      readonly read: { readonly params: { readonly since?: string } };
      readonly create: { readonly params: { readonly text: string; readonly tags?: readonly string[] } };
    };
  };
  readonly stateflows: {
    readonly 'ticket.status': {
      readonly open: { readonly solve: 'solved' };
      readonly solved: { readonly close: 'closed' };
      readonly closed: {};
    };
  };
  readonly endpoints: { readonly 'tools/echo': 'GET' | 'POST'; readonly stamps: 'POST' };
  readonly bff: { readonly 'city/{id}': 'GET'; readonly start: 'GET' | 'POST' };
  readonly channels: {
    readonly ticket: { readonly keyed: true; readonly presence: true };
    readonly news: { readonly keyed: false; readonly presence: false };
  };
}
