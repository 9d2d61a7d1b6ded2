/*
 * Recognises Telegram's errors. Some are identified only by their description; no other file reads
 * descriptions.
 */

/** Telegram's most frequent refusals, recognised by its descriptions. */
const refusalPatterns = {
  no_rights: /not enough rights|need administrator|admin_required|have no rights|lacks? the right/i,
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

export function refusalIn(description: string): RefusalCode | '' {
  const known = Object.entries(refusalPatterns).find(([, pattern]) => pattern.test(description));
  return (known?.[0] as RefusalCode | undefined) ?? '';
}

/** Says whether a poll is refused (409) because a webhook is set; otherwise another poll is the cause. */
export const namesWebhook = (description: string) => /webhook/i.test(description);
