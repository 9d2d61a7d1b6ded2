import { useQueryClient } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { type DragEvent, useState } from 'react';
import { routesQuery, updateRoute, withoutId } from '../../api/routes.ts';
import type { Route } from '../../api/client/types.ts';
import { useT } from '../../i18n/use-t.tsx';
import { Panel } from '../../ui/page.tsx';
import { showInMiddle } from '../../ui/show-in-middle.ts';
import { useAction } from '../../shared/use-action.ts';
import type { RouteNames } from './route-names.ts';
import { RouteRow } from './route-row.tsx';
import css from './routes.module.css';

const step = 10;

/** Lists the routes of one source bot in order; drag or press to reorder. */
export function RouteList(props: {
  botId: number;
  routes: Route[];
  names: RouteNames;
  may: boolean;
  onEdit: (route: Route) => void;
}) {
  const { routes } = props;
  const t = useT();
  const client = useQueryClient();
  const [dragged, setDragged] = useState(-1);
  const [over, setOver] = useState(-1);
  const { route: asked } = useSearch({ from: '/frame/routes' });
  const reorder = useAction({
    run: async (order: Route[]) => {
      try {
        for (const [index, route] of order.entries()) {
          const priority = (index + 1) * step;
          if (route.priority !== priority) {
            await updateRoute({ ...withoutId(route), id: route.id, priority });
          }
        }
      } finally {
        // Refetch after a partial failure too: the list shows the actual order. The next move waits
        // for it.
        await client.invalidateQueries({ queryKey: routesQuery.queryKey, exact: true });
      }
    },
  });

  function move(from: number, to: number): void {
    const order = [...routes];
    const [moved] = order.splice(from, 1);
    if (!moved || from === to || reorder.isPending) return;
    order.splice(to, 0, moved);
    reorder.mutate(order);
  }
  function drop(event: DragEvent, to: number): void {
    event.preventDefault();
    if (dragged >= 0) move(dragged, to);
    setDragged(-1);
    setOver(-1);
  }

  const someByMeaning = routes.some((route) => route.condition_type === 'llm');
  return (
    <Panel
      flush
      title={t.routes.ofBot(props.names.bot(props.botId))}
      hint={someByMeaning ? t.routes.orderByMeaning : t.routes.order}
    >
      <ol data-rows className={css.list}>
        {routes.map((route, index) => (
          <li
            key={route.id}
            ref={route.id === asked ? showInMiddle : null}
            className={css.row}
            data-asked={route.id === asked ? true : undefined}
            data-off={route.enabled ? undefined : true}
            data-over={over === index && dragged !== index ? true : undefined}
            draggable={props.may}
            onDragStart={() => setDragged(index)}
            onDragEnd={() => {
              setDragged(-1);
              setOver(-1);
            }}
            onDragOver={(event) => {
              if (dragged < 0) return;
              event.preventDefault();
              setOver(index);
            }}
            onDrop={(event) => drop(event, index)}
          >
            <RouteRow
              route={route}
              number={index + 1}
              count={routes.length}
              names={props.names}
              may={props.may}
              onEdit={() => props.onEdit(route)}
              onMove={(to) => move(index, to)}
            />
          </li>
        ))}
      </ol>
    </Panel>
  );
}
