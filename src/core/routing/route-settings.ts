import type { ConditionType } from './condition-types.ts';
import type { ReturnMode, RouteAction } from './conditions.ts';

/** The settings of a route, without its bots. */
export interface RouteSettings {
  action: RouteAction;
  condition_type: ConditionType | '';
  condition_value: string;
  target_chat_id: number;
  /** The topic of the target chat; 0 for none. */
  target_thread_id: number;
  enabled: boolean;
  description: string;
  priority: number;
  source_chat_id: number;
  /** The topic of the source chat; 0 for any, 1 for General. */
  source_thread_id: number;
  return_mode: ReturnMode;
}

/** The values of omitted fields, also when a route is replaced. */
export const routeDefaults: Omit<RouteSettings, 'action'> = {
  condition_type: 'all',
  condition_value: '',
  target_chat_id: 0,
  target_thread_id: 0,
  enabled: true,
  description: '',
  priority: 0,
  source_chat_id: 0,
  source_thread_id: 0,
  return_mode: 'reply',
};
