import { botSetting } from '../../../src/core/bots/bot-settings.ts';

export {
  botSections,
  botSetting,
  botSettingNames,
  type BotChoice,
  type BotNumber,
  type BotSwitch,
  type BotText,
  type BotList,
  isBotList,
  isBotNumber,
  isBotSwitch,
  isBotText,
} from '../../../src/core/bots/bot-settings.ts';

/** The range of patience of an app is that of a bot. */
export const { byDefault: defaultPatience = 0, maximum: mostPatience = 0 } = botSetting('patience');
