/** Types of the product desk, for createClient<Schema> of @skep/client. Made by `skep types`: do not edit. */

export interface Article {
  readonly id: string;
  readonly title: string;
  readonly text: string | null;
  readonly status: 'draft' | 'published' | 'archived';
  readonly published_at: string | null;
  readonly created_at: string | null;
  readonly updated_at: string | null;
}

export interface ArticleCreate {
  readonly id?: string;
  readonly title: string;
  readonly text?: string | null;
  readonly status?: 'draft' | 'published' | 'archived';
  readonly published_at?: string | null;
}

export interface ArticleUpdate {
  readonly title?: string;
  readonly text?: string | null;
  readonly status?: 'draft' | 'published' | 'archived';
  readonly published_at?: string | null;
}

export interface Attachment {
  readonly id: string;
  readonly ticket_id: string;
  readonly author: string | null;
  readonly file: { readonly name?: string; readonly content_type?: string; readonly size?: number; readonly sha256?: string };
  readonly state: 'posted' | 'hidden' | null;
  readonly created_at: string | null;
  readonly updated_at: string | null;
}

export interface AttachmentCreate {
  readonly id?: string;
  readonly ticket_id: string;
  readonly author?: string | null;
  readonly state?: 'posted' | 'hidden' | null;
}

export interface AttachmentUpdate {
  readonly ticket_id?: string;
  readonly author?: string | null;
  readonly state?: 'posted' | 'hidden' | null;
}

export interface Comment {
  readonly id: string;
  readonly ticket_id: string;
  readonly author: string | null;
  readonly text: string;
  readonly internal: boolean | null;
  readonly state: 'posted' | 'hidden' | null;
  readonly created_at: string | null;
  readonly updated_at: string | null;
}

export interface CommentCreate {
  readonly id?: string;
  readonly ticket_id: string;
  readonly author?: string | null;
  readonly text: string;
  readonly internal?: boolean | null;
  readonly state?: 'posted' | 'hidden' | null;
}

export interface CommentUpdate {
  readonly ticket_id?: string;
  readonly author?: string | null;
  readonly text?: string;
  readonly internal?: boolean | null;
  readonly state?: 'posted' | 'hidden' | null;
}

export interface Organisation {
  readonly id: string;
  readonly name: string;
  readonly phone: string | null;
  readonly created_at: string | null;
  readonly updated_at: string | null;
}

export interface OrganisationCreate {
  readonly id?: string;
  readonly name: string;
  readonly phone?: string | null;
}

export interface OrganisationUpdate {
  readonly name?: string;
  readonly phone?: string | null;
}

export interface Ticket {
  readonly id: string;
  readonly subject: string;
  readonly text: string | null;
  readonly requester: string;
  readonly email: string | null;
  readonly answer: string | null;
  readonly submission: string | null;
  readonly status: 'open' | 'in_progress' | 'solved' | 'closed' | null;
  readonly priority: 'low' | 'normal' | 'high' | null;
  readonly agent: string | null;
  readonly organisation_id: string | null;
  readonly created_at: string | null;
  readonly updated_at: string | null;
}

export interface TicketCreate {
  readonly id?: string;
  readonly subject: string;
  readonly text?: string | null;
  readonly requester?: string;
  readonly email?: string | null;
  readonly answer?: string | null;
  readonly submission?: string | null;
  readonly status?: 'open' | 'in_progress' | 'solved' | 'closed' | null;
  readonly priority?: 'low' | 'normal' | 'high' | null;
  readonly agent?: string | null;
  readonly organisation_id?: string | null;
}

export interface TicketUpdate {
  readonly subject?: string;
  readonly text?: string | null;
  readonly requester?: string;
  readonly email?: string | null;
  readonly answer?: string | null;
  readonly submission?: string | null;
  readonly status?: 'open' | 'in_progress' | 'solved' | 'closed' | null;
  readonly priority?: 'low' | 'normal' | 'high' | null;
  readonly agent?: string | null;
  readonly organisation_id?: string | null;
}

export interface Schema {
  readonly entities: {
    readonly article: {
      readonly row: Article;
      readonly create: ArticleCreate;
      readonly update: ArticleUpdate;
      readonly one: {};
      readonly many: {};
      readonly changes: false;
    };
    readonly attachment: {
      readonly row: Attachment;
      readonly create: AttachmentCreate;
      readonly update: AttachmentUpdate;
      readonly one: {
        readonly ticket: 'ticket';
      };
      readonly many: {};
      readonly changes: false;
    };
    readonly comment: {
      readonly row: Comment;
      readonly create: CommentCreate;
      readonly update: CommentUpdate;
      readonly one: {
        readonly ticket: 'ticket';
      };
      readonly many: {};
      readonly changes: true;
    };
    readonly organisation: {
      readonly row: Organisation;
      readonly create: OrganisationCreate;
      readonly update: OrganisationUpdate;
      readonly one: {};
      readonly many: {
        readonly ticket_by_organisation: 'ticket';
      };
      readonly changes: false;
    };
    readonly ticket: {
      readonly row: Ticket;
      readonly create: TicketCreate;
      readonly update: TicketUpdate;
      readonly one: {
        readonly organisation: 'organisation';
      };
      readonly many: {
        readonly attachment_by_ticket: 'attachment';
        readonly comment_by_ticket: 'comment';
      };
      readonly changes: true;
    };
  };
  readonly actions: {
    readonly close_solved: {
      readonly update: {
        readonly params: {};
      };
    };
    readonly report: {
      readonly read: {
        readonly params: {
          readonly since?: string;
        };
      };
    };
  };
  readonly stateflows: {
    readonly 'ticket.status': {
      readonly open: {
        readonly start: 'in_progress';
        readonly withdraw: 'closed';
      };
      readonly in_progress: {
        readonly solve: 'solved';
        readonly back: 'open';
      };
      readonly solved: {
        readonly close: 'closed';
        readonly reopen: 'open';
      };
      readonly closed: {};
    };
  };
  readonly endpoints: {};
  readonly bff: {};
  readonly channels: {
    readonly ticket: {
      readonly keyed: true;
      readonly presence: true;
    };
  };
}
