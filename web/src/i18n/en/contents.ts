const quoted = (text: string) => `“${text}”`;

/** What a message is that has neither words nor a file. */
export const contents = {
  joined: (who: string) => `${who} joined`,
  added: (by: string, who: string) => `${by} added ${who}`,
  left: (who: string) => `${who} left`,
  removed: (by: string, who: string) => `${by} removed ${who}`,
  new_chat_title: (by: string, text: string) => `${by} named the chat ${quoted(text)}`,
  new_chat_photo: (by: string) => `${by} changed the picture of the chat`,
  delete_chat_photo: (by: string) => `${by} removed the picture of the chat`,
  group_chat_created: (by: string) => `${by} opened the group`,
  supergroup_chat_created: (by: string) => `${by} opened the group`,
  channel_chat_created: () => 'The channel was opened',
  migrate_to_chat_id: () => 'The group became a supergroup',
  migrate_from_chat_id: () => 'The group became a supergroup',
  pinned_message: (by: string, text: string) =>
    text ? `${by} pinned ${quoted(text)}` : `${by} pinned a message`,
  message_auto_delete_timer_changed: (by: string) => `${by} changed when messages disappear`,
  forum_topic_created: (by: string, text: string) => `${by} opened the topic ${quoted(text)}`,
  forum_topic_edited: (by: string) => `${by} changed the topic`,
  forum_topic_closed: (by: string) => `${by} closed the topic`,
  forum_topic_reopened: (by: string) => `${by} reopened the topic`,
  video_chat_scheduled: (by: string) => `${by} planned a video chat`,
  video_chat_started: (by: string) => `${by} started a video chat`,
  video_chat_ended: (by: string) => `${by} ended the video chat`,
  video_chat_participants_invited: (by: string) => `${by} invited to the video chat`,
  boost_added: (by: string) => `${by} boosted the chat`,
  chat_background_set: (by: string) => `${by} set a background`,
  successful_payment: (by: string) => `${by} paid`,
  gift: (by: string, text: string) =>
    text ? `${by} sent a gift: ${quoted(text)}` : `${by} sent a gift`,
};

/** What stands in a chat like a message of its own; said with its title where it has one. */
export const things = {
  poll: 'Poll',
  venue: 'Place',
  location: 'Place',
  contact: 'Contact',
  dice: 'Dice',
  game: 'Game',
  story: 'Story',
  checklist: 'Checklist',
  invoice: 'Invoice',
  paid_media: 'Paid media',
  giveaway: 'Giveaway',
};
