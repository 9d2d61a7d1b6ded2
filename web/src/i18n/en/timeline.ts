import type { MessageMark } from '../../../../src/core/messages/message-mark.ts';

const marks: Record<MessageMark, string> = {
  failed: 'Failed',
  waiting: 'Waiting',
  delivered: 'Delivered',
  nobody: 'For nobody',
  none: 'Not known',
};
const means: Record<MessageMark, string> = {
  failed: 'A delivery or a send failed.',
  waiting: 'Something has yet to finish.',
  delivered: 'It reached everybody it was for.',
  nobody: 'No backend, app or route was to get it.',
  none: 'What is known about it was removed, or an older version stored it.',
};

export const timeline = {
  title: 'Where did it go?',
  hide: 'Close the timeline',
  marks,
  means,
  markLabel: (mark: string) => `${mark}. Where did it go?`,
  states: {
    done: 'Done',
    delivered: 'Delivered',
    waiting: 'Waiting',
    failed: 'Failed',
    removed: 'Removed',
  },
  next: (time: string) => `Next attempt: ${time}`,
  retry: 'Retry now',
  showRoute: 'Show the route',
};
