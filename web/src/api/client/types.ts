import type { Session } from '../../../../src/api-types.ts';

/** The shapes of the API that many pages read. */
export type {
  ApiKey,
  Bot,
  BotHealth,
  LiveMetrics,
  Message,
  Route,
  Session,
  Tag,
  TokenCheck,
  User,
} from '../../../../src/api-types.ts';

export type Scope = Session['scope'];
