import type { Route } from '../../api/types.ts';
import { useT } from '../../i18n/use-t.tsx';
import { conditionLabel } from './route-words.ts';
import css from './routes.module.css';

const width = 860;
const nodeWidth = 190;
const nodeHeight = 40;
const gap = 22;
const top = 34;

/** Receivers on the left, those who pass on at the right; a bot may stand on both sides. */
export function RouteGraph(props: { routes: Route[]; nameOf: (botId: number) => string }) {
  const t = useT();
  const { nameOf, routes } = props;
  const sources = unique(routes.map((route) => route.source_bot_id));
  const targets = unique(
    routes.filter((route) => route.action !== 'drop').map((route) => route.target_bot_id),
  );
  const rows = Math.max(sources.length, targets.length, 1);
  const height = top + rows * (nodeHeight + gap);
  const middleOf = (index: number, count: number) =>
    top + ((index + 0.5) * rows * (nodeHeight + gap)) / count - gap / 2;
  const leftY = (id: number) => middleOf(sources.indexOf(id), sources.length);
  const rightY = (id: number) => middleOf(targets.indexOf(id), targets.length);
  return (
    <svg
      className={css.graph}
      viewBox={`0 0 ${width} ${height}`}
      role="img"
      aria-label={t.routes.graphLabel(routes.length)}
    >
      <text className={css.columnText} x={0} y={16}>
        {t.routes.receives}
      </text>
      <text className={css.columnText} x={width} y={16} textAnchor="end">
        {t.routes.passesOn}
      </text>
      {routes.map((route) => (
        <Edge
          key={route.id}
          route={route}
          label={conditionLabel(route as never, t)}
          from={leftY(route.source_bot_id)}
          to={route.action === 'drop' ? undefined : rightY(route.target_bot_id)}
          shift={shiftOf(route, routes)}
        />
      ))}
      {sources.map((id) => (
        <Node key={id} x={0} y={leftY(id)} name={nameOf(id)} />
      ))}
      {targets.map((id) => (
        <Node key={id} x={width - nodeWidth} y={rightY(id)} name={nameOf(id)} />
      ))}
    </svg>
  );
}

function Node(props: { x: number; y: number; name: string }) {
  const name = props.name.length > 22 ? `${props.name.slice(0, 21)}…` : props.name;
  return (
    <g>
      <rect
        className={css.node}
        x={props.x + 0.5}
        y={props.y - nodeHeight / 2}
        width={nodeWidth - 1}
        height={nodeHeight}
        rx={11}
      />
      <text
        className={css.nodeText}
        x={props.x + nodeWidth / 2}
        y={props.y + 4.5}
        textAnchor="middle"
      >
        {name}
      </text>
    </g>
  );
}

function Edge(props: {
  route: Route;
  label: string;
  from: number;
  to: number | undefined;
  shift: number;
}) {
  const { from, route } = props;
  const to = props.to ?? from;
  const startX = nodeWidth;
  const endX = props.to === undefined ? width / 2 + 60 : width - nodeWidth;
  const middleX = (startX + endX) / 2;
  const middleY = (from + to) / 2 + props.shift;
  const path = `M${startX} ${from} C${startX + 70} ${from} ${middleX - 70} ${middleY} ${middleX} ${middleY} S${endX - 70} ${to} ${endX} ${to}`;
  const textWidth = props.label.length * 6.6 + 18;
  return (
    <g>
      <path
        className={css.edge}
        d={path}
        data-action={route.action}
        data-off={route.enabled ? undefined : true}
      />
      {props.to === undefined ? (
        <path
          className={css.edge}
          data-action="drop"
          d={`M${endX - 6} ${to - 6}l12 12m0 -12l-12 12`}
        />
      ) : (
        <circle cx={endX - 4} cy={to} r={4} fill="var(--mantine-color-petrol-6)" />
      )}
      <rect
        className={css.edgeBack}
        x={middleX - textWidth / 2}
        y={middleY - 11}
        width={textWidth}
        height={22}
        rx={11}
      />
      <text className={css.edgeText} x={middleX} y={middleY + 4} textAnchor="middle">
        {props.label}
      </text>
    </g>
  );
}

/** Several routes between the same two bots are drawn beside each other. */
function shiftOf(route: Route, routes: Route[]): number {
  const same = routes.filter(
    (one) =>
      one.source_bot_id === route.source_bot_id &&
      (one.action === 'drop') === (route.action === 'drop') &&
      one.target_bot_id === route.target_bot_id,
  );
  return (same.indexOf(route) - (same.length - 1) / 2) * 26;
}

function unique(ids: number[]): number[] {
  return [...new Set(ids)];
}
