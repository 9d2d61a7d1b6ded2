/** A pending join request. */
export interface JoinRequestRecord {
  date: number;
  link?: string;
  /** The bot that wrote to them on account of it: no other may. */
  contactedBy?: number;
}

/** A question to the guard bot of a chat: may this person come in? */
export interface JoinQueryRecord extends JoinRequestRecord {
  id: string;
  botId: number;
  chatId: number;
  userId: number;
  status: 'waiting' | 'web_app' | 'approved' | 'declined' | 'queued' | 'lapsed';
  /** Until when it can be answered: milliseconds since 1970. */
  endsAtMs: number;
  webAppUrl?: string;
}
