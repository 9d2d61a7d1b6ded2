import type { Game, GameHighScore, InlineKeyboardMarkup, Message } from '@grammyjs/types';
import { badRequest } from '../../api-error.ts';
import { messageEdited } from '../../world/messages/messages.ts';
import { personOf } from '../../world/people.ts';
import type { GameRecord } from '../../world/bot-records.ts';
import type { MessageRecord, Room } from '../../world/records.ts';
import type { Call, MethodTable } from '../call.ts';
import { openEnvelope, post, show } from '../send.ts';
import { inlineTarget } from './editing.ts';
import { messageOf, roomOf, userIdOf } from '../target.ts';

const gameNamed = (call: Call, shortName: string | undefined): GameRecord | undefined =>
  call.bot.games?.find((game) => game.shortName === shortName);

/** The first button must start the game; without a keyboard, such a button is added. */
function playButton(
  game: GameRecord,
  keyboard: InlineKeyboardMarkup | undefined,
): InlineKeyboardMarkup {
  if (!keyboard) {
    return { inline_keyboard: [[{ text: `Play ${game.title}`, callback_game: {} }]] };
  }
  const buttons = keyboard.inline_keyboard.flat();
  const at = buttons.findIndex((button) => 'callback_game' in button);
  if (at < 0) throw badRequest('REPLY_MARKUP_GAME_EMPTY');
  if (at > 0) throw badRequest('BUTTON_POS_INVALID');
  return keyboard;
}

function sendGame(call: Call): Message {
  const game = gameNamed(call, call.params.required('game_short_name'));
  const envelope = openEnvelope(call, 'can_send_other_messages');
  if (envelope.room.type === 'channel') throw badRequest("games can't be sent to channel chats");
  if (!game) throw badRequest('wrong game short name specified');
  envelope.draft.inlineKeyboard = playButton(game, envelope.draft.inlineKeyboard);
  envelope.draft.gameShortName = game.shortName;
  const { title, description, photo } = game;
  // The types require more fields than a message of a game really has.
  const content = { title, description, photo } as Game;
  return show(call, envelope.room, post(call, envelope, { game: content }));
}

interface Played {
  room: Room;
  record: MessageRecord;
  game: GameRecord;
  /** Points by user ID. */
  scores: Record<string, number>;
  inline: boolean;
}

function playedIn(call: Call, what: string): Played {
  const { params } = call;
  const inline = !params.has('chat_id') && params.integer('message_id') === 0;
  const target = inline ? inlineTarget(call) : undefined;
  const room = target?.room ?? roomOf(call);
  const record = target?.record ?? messageOf(call, room, `message to ${what} not found`);
  const game = gameNamed(call, record.gameShortName);
  if (!game || record.fromId !== call.bot.id) throw badRequest('MESSAGE_ID_INVALID');
  game.scores[room.key] ??= {};
  return { room, record, game, scores: game.scores[room.key] ?? {}, inline };
}

function setGameScore(call: Call): Message | true {
  const { params } = call;
  const userId = userIdOf(call);
  const score = params.integer('score');
  const { room, record, scores, inline } = playedIn(call, 'set game score');
  if (score < 0) throw badRequest('SCORE_INVALID');
  const before = scores[userId] ?? 0;
  if (score <= before && !params.flag('force')) throw badRequest('BOT_SCORE_NOT_MODIFIED');
  scores[userId] = score;
  if (!params.flag('disable_edit_message')) messageEdited(call.world, room, record, true);
  return inline ? true : show(call, room, record);
}

/** Returns the person, two neighbours on each side, and the three best. */
function getGameHighScores(call: Call): GameHighScore[] {
  const userId = userIdOf(call);
  const { scores } = playedIn(call, 'get game high scores');
  const ranked = Object.entries(scores)
    .sort(([, left], [, right]) => right - left)
    .map(([id, score], index) => ({
      position: index + 1,
      user: personOf(call.world.state, Number(id)),
      score,
    }));
  const own = ranked.findIndex(({ user }) => user.id === userId);
  return ranked.filter((_row, index) => index < 3 || (own >= 0 && Math.abs(index - own) <= 2));
}

export const gameMethods: MethodTable = {
  sendgame: sendGame,
  setgamescore: setGameScore,
  getgamehighscores: getGameHighScores,
};
