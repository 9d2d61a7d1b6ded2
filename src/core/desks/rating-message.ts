/* The question whose five buttons rate a conversation, and what its message says afterwards. */
import { ownButtonData, readOwnButton } from '../messages/own-buttons.ts';
import { withLine } from '../questions/question-message.ts';

const part = 'rate';
export const ratings = [1, 2, 3, 4, 5] as const;
const most = ratings.length;

/** Returns the question and the rating of a button; undefined for other data. */
export function readRatingButton(data: string) {
  const button = readOwnButton(part, data);
  const rating = ratings.find((one) => String(one) === button?.action);
  return button && rating && { id: button.id, nonce: button.nonce, rating };
}

export const ratingKeyboard = (id: number, nonce: string) => ({
  inline_keyboard: [
    ratings.map((rating) => ({
      text: `${rating} ⭐`,
      callback_data: ownButtonData({ part, id, nonce, action: String(rating) }),
    })),
  ],
});

/** Thanks in every language. */
export const ratingThanks = (rating: number): string =>
  `🙏 ${'★'.repeat(rating)}${'☆'.repeat(most - rating)}`;

/** The question without its buttons. */
export const ratedText = (question: string, rating: number): string =>
  withLine(question, ratingThanks(rating));
