/** What became of a message, from the worst on: `none` if that is not known any more. */
export const messageMarks = ['failed', 'waiting', 'delivered', 'nobody', 'none'] as const;
export type MessageMark = (typeof messageMarks)[number];

const byWeight = ['failed', 'waiting', 'delivered'] as const;
/** What became of a message with one of those that were to get it. */
export type ReceiverState = (typeof byWeight)[number];

export const markOf = (receivers: readonly ReceiverState[]): MessageMark =>
  byWeight.find((state) => receivers.includes(state)) ?? 'nobody';
