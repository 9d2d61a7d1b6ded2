const quoted = (text: string) => `“${text}”`;

/** Messages with neither text nor a file. */
export const contents = {
  joined: (who: string) => `${who} joined`,
  added: (by: string, who: string) => `${by} added ${who}`,
  left: (who: string) => `${who} left`,
  removed: (by: string, who: string) => `${by} removed ${who}`,
  new_chat_title: (by: string, text: string) => `${by} renamed the chat to ${quoted(text)}`,
  new_chat_photo: (by: string) => `${by} changed the chat photo`,
  delete_chat_photo: (by: string) => `${by} removed the chat photo`,
  group_chat_created: (by: string) => `${by} created the group`,
  supergroup_chat_created: (by: string) => `${by} created the group`,
  channel_chat_created: () => 'Channel created',
  migrate_to_chat_id: () => 'The group was upgraded to a supergroup',
  migrate_from_chat_id: () => 'The group was upgraded to a supergroup',
  pinned_message: (by: string, text: string) =>
    text ? `${by} pinned ${quoted(text)}` : `${by} pinned a message`,
  message_auto_delete_timer_changed: (by: string) => `${by} changed the auto-delete timer`,
  forum_topic_created: (by: string, text: string) => `${by} created the topic ${quoted(text)}`,
  forum_topic_edited: (by: string) => `${by} edited the topic`,
  forum_topic_closed: (by: string) => `${by} closed the topic`,
  forum_topic_reopened: (by: string) => `${by} recreated the topic`,
  video_chat_scheduled: (by: string) => `${by} scheduled a video chat`,
  video_chat_started: (by: string) => `${by} started a video chat`,
  video_chat_ended: (by: string) => `${by} ended the video chat`,
  video_chat_participants_invited: (by: string) => `${by} invited people to the video chat`,
  boost_added: (by: string) => `${by} boosted the chat`,
  chat_background_set: (by: string) => `${by} set a background`,
  successful_payment: (by: string) => `${by} paid`,
  gift: (by: string, text: string) =>
    text ? `${by} sent a gift: ${quoted(text)}` : `${by} sent a gift`,
};

/** Contents of a message other than text and files, shown with their title if they have one. */
export const things = {
  poll: 'Poll',
  venue: 'Venue',
  location: 'Location',
  contact: 'Contact',
  dice: 'Dice',
  game: 'Game',
  story: 'Story',
  checklist: 'Checklist',
  invoice: 'Invoice',
  paid_media: 'Paid media',
  giveaway: 'Giveaway',
};
