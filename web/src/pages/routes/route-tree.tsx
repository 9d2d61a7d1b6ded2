import type { CSSProperties } from 'react';
import { useT } from '../../i18n/use-t.tsx';
import { type DrawnRoute, dropped, looksOf, thicknessOf } from './drawn-routes.ts';
import css from './route-tree.module.css';

/** Draws routes on a narrow screen: below each source its targets. */
export function RouteTree(props: {
  routes: DrawnRoute[];
  label: string;
  nameOf: (botId: number) => string;
}) {
  const { nameOf, routes } = props;
  const t = useT();
  const sources = [...new Set(routes.map(({ route }) => route.source_bot_id))];
  return (
    <ul className={css.tree} aria-label={props.label}>
      {sources.map((id) => (
        <li key={id}>
          <Node name={nameOf(id)} what={t.routes.receives} />
          <ul className={css.branches}>
            {routes
              .filter(({ route }) => route.source_bot_id === id)
              .map((drawn) => (
                <li
                  key={drawn.route.id}
                  {...looksOf(drawn)}
                  style={{ '--thickness': `${thicknessOf(drawn)}px` } as CSSProperties}
                >
                  <span className={css.label}>{drawn.label}</span>
                  {drawn.targetId === dropped ? (
                    <Node name={t.routes.ends} />
                  ) : (
                    <Node name={nameOf(drawn.targetId)} what={t.routes.passesOn} />
                  )}
                </li>
              ))}
          </ul>
        </li>
      ))}
    </ul>
  );
}

function Node(props: { name: string; what?: string }) {
  return (
    <div className={css.node}>
      <bdi>{props.name}</bdi>
      {props.what ? <span>{props.what}</span> : null}
    </div>
  );
}
