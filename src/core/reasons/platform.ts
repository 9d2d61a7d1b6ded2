/*
 * Recognises Telegram's errors. Some are identified only by their description; no other file reads
 * descriptions.
 */

/** Telegram's most frequent refusals, recognised by its descriptions. */
const refusalPatterns = {
  topic_gone: /message thread not found|topic_(deleted|id_invalid)/i,
  topic_closed: /topic_(closed|hidden)/i,
  no_topics: /chat is not a forum/i,
  upgraded: /upgraded to a supergroup/i,
  no_rights:
    /not enough rights|need administrator|admin_required|have no rights|lacks? the right|chat_(write_forbidden|restricted|send_\w+_forbidden)/i,
  account_too_late: /business_peer_usage_missing/i,
  account_over: /business_connection_invalid|business connection not found/i,
  no_chat: /chat not found|peer_id_invalid/i,
  blocked: /blocked by the user|user is deactivated|can't initiate conversation/i,
  not_there: /bot was kicked|bot is not a member|chat was deleted|group chat was deactivated/i,
  message_gone: /message (to \w+|to be \w+) not found|message_id_invalid/i,
  too_old: /message can't be deleted/i,
  unchanged: /is not modified/i,
  is_admin: /user is an administrator|can't remove chat owner/i,
  no_person: /user not found|participant_id_invalid|user_not_participant/i,
  too_large: /too (big|large)/i,
  bad_picture: /photo_invalid_dimensions|image_process_failed|wrong file type/i,
};

export type RefusalCode = keyof typeof refusalPatterns;

/** What to do, where Telegram's description does not tell what happened. */
const advice: Partial<Record<RefusalCode, string>> = {
  topic_gone:
    'The bot cannot write into this topic: it was deleted, the person switched topics off, or its first message is gone. Choose another topic, or leave out message_thread_id.',
  topic_closed:
    'The topic is closed or hidden. Reopen it, or make the bot an administrator with the right can_manage_topics.',
  no_topics: 'The chat has no topics. Switch them on in Telegram, or leave out message_thread_id.',
  upgraded: 'The group has a new ID. Send to that one; routes and settings follow by themselves.',
};

/** Adds what to do to Telegram's description. */
export function withAdvice(sentence: string, refusal: RefusalCode | ''): string {
  const more = refusal === '' ? undefined : advice[refusal];
  return more === undefined ? sentence : `${sentence} ${more}`;
}

export function refusalIn(description: string): RefusalCode | '' {
  const known = Object.entries(refusalPatterns).find(([, pattern]) => pattern.test(description));
  return (known?.[0] as RefusalCode | undefined) ?? '';
}

/** Tells whether the refusal `blocked` means that the account is gone for good. */
export const isDeactivated = (description: string) => /deactivated/i.test(description);

/** Says whether a poll is refused (409) because a webhook is set; otherwise another poll is the cause. */
export const namesWebhook = (description: string) => /webhook/i.test(description);
