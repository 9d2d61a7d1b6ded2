import { ended } from '../../reasons/shape.ts';
import type { DeskWords } from './desk-words.ts';

export const ru: DeskWords = {
  desk_done: 'Готово. Тема откроется снова, когда клиент напишет.',
  desk_rated: ({ rating }) => `Оценка: ${rating} из 5.`,
  desk_reopened: ({ since }) => `Клиент снова пишет. Тема была закрыта ${since}.`,
  desk_pressed: ({ button }) => `Клиент нажал «${button}».`,
  desk_banned:
    'Заблокирован: сообщения клиента сохраняются, но здесь не видны. Отменить можно командой /unban.',
  desk_unbanned: 'Больше не заблокирован.',
  desk_noted: 'Записано. В веб-интерфейсе заметка видна у этого человека.',
  desk_note_empty: 'Напишите заметку после команды: /note платит по счёту.',
  desk_assigned: ({ name }) => `Ответственный: ${name}.`,
  desk_anonymous: 'У анонимных администраторов не бывает своих чатов. Напишите от своего имени.',
  desk_admins_only: ({ command }) =>
    `Команда ${command} доступна только администраторам форума и людям из настроек стола.`,
  desk_admin_unknown: ({ command }) =>
    `Telegram не ответил, администратор ли вы. Отправьте ${command} ещё раз.`,
  desk_card: ({ name, username, language, bot, since, others, notes, ...now }) =>
    [
      `${name}${username === '' ? '' : ` (@${username})`}, через ${bot}.`,
      language === '' ? '' : `Язык: ${language}.`,
      `Здесь с ${since}.`,
      others.length === 0 ? '' : `Пишет также: ${others.join(', ')}.`,
      now.tags?.length ? `Метки: ${now.tags.join(', ')}.` : '',
      now.assignee ? `Ответственный: ${now.assignee}.` : '',
      now.done ? 'Готово.' : '',
      now.banned ? 'Заблокирован.' : '',
      ...notes.map((note) => `Заметка: ${ended(note)}`),
    ]
      .filter(Boolean)
      .join('\n'),
  desk_repeated:
    'Сообщение выше может быть здесь дважды: в первый раз Telegram не подтвердил отправку.',
  desk_not_shown: ({ cause }, say) =>
    `Сообщение клиента нельзя показать здесь: ${ended(say(cause))} Посмотрите в веб-интерфейсе.`,
  desk_unknown_kind:
    'Клиент отправил то, что боты не могут скопировать. Попросите прислать это иначе.',
  desk_answer_failed: ({ cause }, say) => `Клиент этого не получил: ${ended(say(cause))}`,
  desk_answer_unknown: ({ cause }, say) =>
    `Неизвестно, получил ли это клиент: ${ended(say(cause))} Само сообщение не повторится. Если клиент не отвечает, напишите ещё раз.`,
  desk_bot_away: ({ bot_id }) =>
    `Клиент этого не получил: бот ${bot_id} отключён. Включите его и напишите ещё раз.`,
  desk_kind_refused: 'Клиент этого не получил: боты не отправляют такие сообщения. Напишите иначе.',
  desk_stray_topic: ({ name }) =>
    `Этого никто не получит: тема клиента ${name} другая. Удалите эту.`,
  desk_forgotten:
    'Этого никто не получит: данные клиента удалены. Если клиент напишет, появится новая тема.',
  desk_delete_what: 'Ответьте /del на сообщение, которое клиент больше не должен видеть.',
  desk_blocked: 'Клиент заблокировал бота. Пока клиент его не разблокирует, ответы не дойдут.',
  desk_no_commands: ({ command }) =>
    `У стола нет команды ${command}. Клиент не получает того, что начинается с косой черты.`,
  restored_unsent:
    'Сообщение стояло в очереди, когда делалась копия, из которой восстановлены данные. С тех пор его могли отправить.',
};
