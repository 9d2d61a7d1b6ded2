/** Topics of forums and of private chats. */
export const topics = {
  list: (title: string) => `Topics of ${title}`,
  back: 'All topics',
  all: 'All messages',
  allHint: 'Messages of every topic, and those outside of topics.',
  search: 'Search topics',
  none: 'No topics match.',
  unnamed: (id: number) => `Topic ${id}`,
  closed: 'closed',
  hidden: 'hidden',
  gone: 'The bot cannot write here: the topic was deleted or switched off.',
  topic: 'Topic',
  source: 'Source topic',
  target: 'Target topic',
  any: 'Any topic',
  noTopic: 'No topic',
  sentence: (chat: string, topic: string) => `${chat}, ${topic}`,
};
