import type { Graph } from '../../api/routing.ts';
import type { Route } from '../../api/types.ts';
import { useFormat } from '../../i18n/use-format.ts';
import { useT } from '../../i18n/use-t.tsx';
import { shortened } from '../../ui/shortened.ts';
import { conditionLabel } from './route-words.ts';
import css from './routes.module.css';

const width = 860;
const nodeWidth = 190;
const nodeHeight = 40;
const gap = 22;
const top = 34;
const lane = 27;
const dropped = 0;

/** Receivers on the left, those who pass on at the right; a bot may stand on both sides. */
export function RouteGraph(props: {
  routes: Route[];
  /** What they carried, and which are troubled. */
  graph: Graph | undefined;
  nameOf: (botId: number) => string;
}) {
  const t = useT();
  const format = useFormat();
  const { graph, nameOf, routes } = props;
  const traffic = new Map(graph?.routes.map((route) => [route.id, route.messages_last_day]));
  const most = Math.max(1, ...traffic.values());
  const troubled = new Set(graph?.problems.flatMap((problem) => problem.route_ids));
  const left = columnOf(routes, (route) => route.source_bot_id);
  const right = columnOf(routes, targetOf);
  const height = top + Math.max(left.height, right.height) + 4;
  const leftTop = top + Math.max(0, right.height - left.height) / 2;
  const rightTop = top + Math.max(0, left.height - right.height) / 2;
  const leftY = (id: number) => leftTop + (left.middles.get(id) ?? 0);
  const labelOf = (route: Route) => {
    const carried = traffic.get(route.id) ?? 0;
    const words = conditionLabel(route as never, t);
    return carried === 0 ? words : `${words} · ${t.routes.lastDay(format.number(carried))}`;
  };
  const rightY = (id: number) => rightTop + (right.middles.get(id) ?? 0);
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
          label={labelOf(route)}
          weight={(traffic.get(route.id) ?? 0) / most}
          troubled={troubled.has(route.id)}
          from={leftY(route.source_bot_id)}
          to={rightY(targetOf(route)) + laneOf(route, routes)}
        />
      ))}
      {[...left.middles.keys()].map((id) => (
        <Node key={id} x={0} y={leftY(id)} name={nameOf(id)} />
      ))}
      {[...right.middles.keys()].map((id) => (
        <Node
          key={id}
          x={width - nodeWidth}
          y={rightY(id)}
          name={id === dropped ? t.routes.ends : nameOf(id)}
        />
      ))}
    </svg>
  );
}

function Node(props: { x: number; y: number; name: string }) {
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
        {shortened(props.name, 22)}
      </text>
    </g>
  );
}

function Edge(props: {
  route: Route;
  label: string;
  /** 0 to 1: its share of the busiest one. */
  weight: number;
  troubled: boolean;
  from: number;
  to: number;
}) {
  const { from, route, to } = props;
  const startX = nodeWidth;
  const endX = width - nodeWidth;
  const bend = (startX + endX) / 2 - 60;
  const path = `M${startX} ${from} C${bend} ${from} ${bend} ${to} ${endX} ${to}`;
  const textWidth = props.label.length * 6.6 + 18;
  // Beside the target, where every route has a lane of its own.
  const labelX = endX - 16 - textWidth / 2;
  const off = route.enabled ? undefined : true;
  return (
    <g data-action={route.action} data-off={off} data-troubled={props.troubled || undefined}>
      <path className={css.edge} d={path} strokeWidth={1.5 + Math.sqrt(props.weight) * 5} />
      <circle className={css.edgeEnd} cx={endX - 4} cy={to} r={4} />
      <rect
        className={css.edgeBack}
        x={labelX - textWidth / 2}
        y={to - 11}
        width={textWidth}
        height={22}
        rx={11}
      />
      <text className={css.edgeText} x={labelX} y={to + 4} textAnchor="middle">
        {props.label}
      </text>
    </g>
  );
}

/** The middle of each bot of one side; it takes as much room as its routes have lanes. */
function columnOf(routes: Route[], idOf: (route: Route) => number) {
  const middles = new Map<number, number>();
  let y = 0;
  for (const id of unique(routes.map(idOf))) {
    const lanes = routes.filter((route) => idOf(route) === id).length;
    const room = Math.max(nodeHeight, lanes * lane);
    middles.set(id, y + room / 2);
    y += room + gap;
  }
  return { middles, height: y - gap };
}

/** How far from the middle of its target a route arrives. */
function laneOf(route: Route, routes: Route[]): number {
  const same = routes.filter((one) => targetOf(one) === targetOf(route));
  return (same.indexOf(route) - (same.length - 1) / 2) * lane;
}

/** A dropped message ends at a place of its own. */
function targetOf(route: Route): number {
  return route.action === 'drop' ? dropped : route.target_bot_id;
}

function unique(ids: number[]): number[] {
  return [...new Set(ids)];
}
