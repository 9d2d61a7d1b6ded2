import { ActionIcon, Switch, Tooltip } from '@mantine/core';
import { addRoute, deleteRoute, routesQuery, updateRoute, withoutId } from '../../api/routes.ts';
import type { Route } from '../../api/client/types.ts';
import { useT } from '../../i18n/use-t.tsx';
import { Icon, type IconName } from '../../ui/icon.tsx';
import { useAction } from '../../shared/use-action.ts';
import type { RouteNames } from './route-names.ts';
import { routeWords } from './route-words.ts';
import css from './routes.module.css';

export function RouteRow(props: {
  route: Route;
  number: number;
  count: number;
  names: RouteNames;
  may: boolean;
  onEdit: () => void;
  onMove: (to: number) => void;
}) {
  const { number, route } = props;
  const t = useT();
  const toggle = useAction({ run: updateRoute, refreshes: [routesQuery.queryKey] });
  const restore = useAction({ run: addRoute, refreshes: [routesQuery.queryKey] });
  const remove = useAction({
    run: () => deleteRoute(route.id),
    refreshes: [routesQuery.queryKey],
    done: () => ({ words: t.routes.deleted, undo: () => restore.mutate(withoutId(route)) }),
  });
  return (
    <>
      <span className={`${css.number} tabular`}>{number}</span>
      <div>
        <div className={css.sentence}>{routeWords(withoutId(route), props.names, t)}</div>
        {route.description ? <div className={css.note}>{route.description}</div> : null}
      </div>
      {props.may ? (
        <div className={css.tools}>
          <Switch
            mr={8}
            aria-label={t.common.labelled(t.routes.enabled, String(number))}
            checked={route.enabled}
            onChange={(event) =>
              toggle.mutate({
                ...withoutId(route),
                id: route.id,
                enabled: event.currentTarget.checked,
              })
            }
          />
          <Tool
            number={number}
            icon="up"
            label={t.routes.up}
            disabled={number === 1}
            onClick={() => props.onMove(number - 2)}
          />
          <Tool
            number={number}
            icon="arrowDown"
            label={t.routes.down}
            disabled={number === props.count}
            onClick={() => props.onMove(number)}
          />
          <Tool number={number} icon="gear" label={t.common.edit} isOpener onClick={props.onEdit} />
          <Tool
            number={number}
            icon="trash"
            label={t.common.delete}
            onClick={() => remove.mutate(undefined)}
          />
        </div>
      ) : null}
    </>
  );
}

function Tool(props: {
  icon: IconName;
  label: string;
  /** The name of the route, for screen readers. */
  number: number;
  disabled?: boolean;
  /** Whether Enter in the list presses it. */
  isOpener?: boolean;
  onClick: () => void;
}) {
  const { common } = useT();
  return (
    <Tooltip label={props.label}>
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label={common.labelled(props.label, String(props.number))}
        data-open={props.isOpener}
        disabled={props.disabled ?? false}
        onClick={props.onClick}
      >
        <Icon name={props.icon} size={17} />
      </ActionIcon>
    </Tooltip>
  );
}
