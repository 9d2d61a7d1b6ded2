import { InvalidArgumentError, Option } from 'commander';
import type { Command } from './command.ts';
import type { DesksUpdateRequest } from '../api-types.ts';
import { type DeskLanguage, deskLanguages, type LocalText } from '../core/desks/desk-options.ts';
import { weekdays } from '../core/desks/working-hours.ts';
import { idListArgument, integerArgument } from './arguments.ts';

type WorkingHours = NonNullable<DesksUpdateRequest['working_hours']>;
type WorkingTime = WorkingHours['times'][number];

export interface SettingOptions {
  name?: string;
  language?: DeskLanguage;
  persons?: number[];
  unanswered?: number;
  hours?: WorkingHours | 'always';
  awayReply?: LocalText[];
  banReply?: LocalText[];
  rating?: LocalText[];
}

const hoursForm = '"Europe/Berlin mon-fri 09:00-18:00, sat 10:00-14:00", or always';

/** Adds the settings of a desk to a command that adds or changes one. */
export const withSettings = (command: Command) =>
  command
    .option('--name <name>', 'name of the desk')
    .addOption(
      new Option('--language <language>', 'in which the desk talks to the team').choices(
        deskLanguages,
      ),
    )
    .option('--persons <users>', 'Telegram users who may use the commands; "" for none', persons)
    .option(
      '--unanswered <minutes>',
      'alert if a customer waits longer; 0 for none',
      integerArgument,
    )
    .option('--hours <hours>', `when the team answers: ${hoursForm}`, hoursArgument)
    .option(
      '--away-reply <text>',
      'reply outside the hours; "ru=Text" for one language, once for each; "" for none',
      collectText,
    )
    .option('--ban-reply <text>', 'reply to a banned customer, in the same form', collectText)
    .option(
      '--rating <text>',
      'question with five buttons once a conversation is done, in the same form',
      collectText,
    );

/** The settings in the body of a request; what is not given stays out of it. */
export function settingsIn(options: SettingOptions): Omit<DesksUpdateRequest, 'id'> {
  const { name, language, persons: person_ids, unanswered, hours, awayReply, banReply } = options;
  const { rating: rating_questions } = options;
  return {
    ...(name === undefined ? {} : { name }),
    ...(language === undefined ? {} : { language }),
    ...(person_ids === undefined ? {} : { person_ids }),
    ...(unanswered === undefined ? {} : { unanswered_minutes: unanswered }),
    ...(hours === undefined ? {} : { working_hours: hours === 'always' ? null : hours }),
    ...(awayReply === undefined ? {} : { away_replies: awayReply }),
    ...(banReply === undefined ? {} : { ban_replies: banReply }),
    ...(rating_questions === undefined ? {} : { rating_questions }),
  };
}

const persons = (text: string) => (text === '' ? [] : idListArgument(text));

/** Reads a time zone, and days with times. */
function hoursArgument(text: string): WorkingHours | 'always' {
  if (text === 'always') return 'always';
  const [, timezone = '', rest = ''] = /^(\S+)\s+(.+)$/.exec(text.trim()) ?? [];
  const times = rest.split(',').map(timeOf);
  if (timezone === '' || times.includes(undefined)) {
    throw new InvalidArgumentError(`it must be in the form ${hoursForm}.`);
  }
  return { timezone, times: times.filter((time) => time !== undefined) };
}

function timeOf(text: string): WorkingTime | undefined {
  const parts = /^([a-z]{3})(?:-([a-z]{3}))? (\d\d:\d\d)-(\d\d:\d\d)$/.exec(text.trim());
  const [, first = '', last = first, start = '', end = ''] = parts ?? [];
  const [from, to] = [first, last].map((day) => weekdays.findIndex((one) => one === day));
  if (from === undefined || to === undefined || from < 0 || to < 0) return undefined;
  // A span such as sat-mon passes the end of the week.
  const days = weekdays.filter((_, day) =>
    from <= to ? day >= from && day <= to : day >= from || day <= to,
  );
  return { days, start, end };
}

/** A text for one language begins with its tag; an empty text alone empties the list. */
function collectText(text: string, before: LocalText[] = []): LocalText[] {
  if (text === '') return before;
  const [, language = '', own = text] =
    /^([A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8})*|)=([^]*)$/.exec(text) ?? [];
  return [...before, { language, text: own }];
}
