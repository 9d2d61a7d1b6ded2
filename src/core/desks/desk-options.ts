import type { WorkingHours } from './working-hours.ts';

/** The languages in which a desk talks to the team. */
export const deskLanguages = ['en', 'ru', 'zh-CN'] as const;
export type DeskLanguage = (typeof deskLanguages)[number];

/** A text of a desk for customers, in one language. */
export interface LocalText {
  /** A tag such as `ru`; '' for all others. */
  language: string;
  text: string;
}

/** Settings of a desk besides its bots and its forum. */
export interface DeskOptions {
  name: string;
  /** In which the desk talks to the team. */
  language: DeskLanguage;
  /** Telegram users who may use the commands besides administrators of the forum. */
  person_ids: readonly number[];
  /** An alert opens when a customer waits longer; 0 for none. */
  unanswered_minutes: number;
  /** Null if the team is always there. */
  working_hours: WorkingHours | null;
  /** Sent once per absence to a customer who writes outside the working hours. */
  away_replies: readonly LocalText[];
  /** Sent once to a customer whom `/ban` banned. */
  ban_replies: readonly LocalText[];
  /** Asked with five buttons when a conversation is done. */
  rating_questions: readonly LocalText[];
}

export const deskDefaults: DeskOptions = {
  name: 'Support',
  language: 'en',
  person_ids: [],
  unanswered_minutes: 30,
  working_hours: null,
  away_replies: [],
  ban_replies: [],
  rating_questions: [],
};

const optionNames = Object.keys(deskDefaults) as (keyof DeskOptions)[];

export function optionsOf(desk: DeskOptions): DeskOptions {
  return Object.fromEntries(
    optionNames.map((name) => [name, desk[name]]),
  ) as unknown as DeskOptions;
}

/** Reads the options that are stored as JSON; what an older version did not know has its default. */
export function storedOptions(json: string): Omit<DeskOptions, 'name'> {
  const { name: _ownColumn, ...defaults } = deskDefaults;
  return { ...defaults, ...(JSON.parse(json) as Partial<DeskOptions>) };
}

export const readOptions = ({
  name,
  settings,
}: {
  name: string;
  settings: string;
}): DeskOptions => ({
  ...storedOptions(settings),
  name,
});

/** The text in the language of a person, otherwise the one for all others, otherwise the first; '' for none. */
export function textFor(texts: readonly LocalText[], language: string): string {
  const wanted = language.toLowerCase();
  const [base = ''] = wanted.split('-');
  const found = [wanted, base, ''].map((tag) =>
    texts.find((one) => one.language.toLowerCase() === tag),
  );
  return (found.find(Boolean) ?? texts[0])?.text ?? '';
}
