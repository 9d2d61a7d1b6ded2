export interface JoinRequestRecord {
  date: number;
  link?: string;
  /** The bot that wrote to the person because of this request: no other bot may. */
  contactedBy?: number;
}

/** A query to the guard bot of a chat: may this person join? */
export interface JoinQueryRecord extends JoinRequestRecord {
  id: string;
  botId: number;
  chatId: number;
  userId: number;
  status: 'waiting' | 'web_app' | 'approved' | 'declined' | 'queued' | 'lapsed';
  /** The time until which it can be answered: milliseconds since 1970. */
  endsAtMs: number;
  webAppUrl?: string;
}
