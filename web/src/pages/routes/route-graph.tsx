import type { Graph } from '../../api/routing.ts';
import type { Route } from '../../api/types.ts';
import { useFormat } from '../../i18n/use-format.ts';
import { useT } from '../../i18n/use-t.tsx';
import { conditionLabel } from './route-words.ts';
import css from './routes.module.css';

const width = 860;
const nodeWidth = 190;
const nodeHeight = 40;
const gap = 22;
const top = 34;
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
  const sources = unique(routes.map((route) => route.source_bot_id));
  const targets = unique(routes.map(targetOf));
  const rows = Math.max(sources.length, targets.length, 1);
  const height = top + rows * (nodeHeight + gap) - gap + 4;
  const middleOf = (index: number, count: number) =>
    top + ((index + 0.5) * rows * (nodeHeight + gap)) / count - gap / 2;
  const leftY = (id: number) => middleOf(sources.indexOf(id), sources.length);
  const labelOf = (route: Route) => {
    const carried = traffic.get(route.id) ?? 0;
    const words = conditionLabel(route as never, t);
    return carried === 0 ? words : `${words} · ${t.routes.lastDay(format.number(carried))}`;
  };
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
      {routes.map((route, index) => (
        <Edge
          key={route.id}
          index={index}
          route={route}
          label={labelOf(route)}
          weight={(traffic.get(route.id) ?? 0) / most}
          troubled={troubled.has(route.id)}
          from={leftY(route.source_bot_id)}
          to={rightY(targetOf(route))}
          shift={shiftOf(route, routes)}
        />
      ))}
      {sources.map((id) => (
        <Node key={id} x={0} y={leftY(id)} name={nameOf(id)} />
      ))}
      {targets.map((id) => (
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
  index: number;
  label: string;
  /** 0 to 1: its share of the busiest one. */
  weight: number;
  troubled: boolean;
  from: number;
  to: number;
  shift: number;
}) {
  const { from, route, to } = props;
  const startX = nodeWidth;
  const endX = width - nodeWidth;
  const bend = (startX + endX) / 2;
  const curve = [
    [startX, from],
    [bend, from + props.shift],
    [bend, to + props.shift],
    [endX, to],
  ] as const;
  const path = `M${curve[0].join(' ')} C${curve[1].join(' ')} ${curve[2].join(' ')} ${curve[3].join(' ')}`;
  // Labels sit at different places along their curves, so that crossing ones stay readable.
  const at = 0.28 + 0.2 * (props.index % 3);
  const middleX = along(curve, at, 0);
  const middleY = along(curve, at, 1);
  const textWidth = props.label.length * 6.6 + 18;
  const off = route.enabled ? undefined : true;
  return (
    <g data-action={route.action} data-off={off} data-troubled={props.troubled || undefined}>
      <path className={css.edge} d={path} strokeWidth={1.5 + Math.sqrt(props.weight) * 5} />
      <circle className={css.edgeEnd} cx={endX - 4} cy={to} r={4} />
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

type Point = readonly [number, number];

/** One coordinate of a cubic curve at `t` of its way. */
function along(curve: readonly [Point, Point, Point, Point], t: number, axis: 0 | 1): number {
  const [a, b, c, d] = curve;
  const u = 1 - t;
  return u ** 3 * a[axis] + 3 * u ** 2 * t * b[axis] + 3 * u * t ** 2 * c[axis] + t ** 3 * d[axis];
}

/** Several routes between the same two bots are drawn beside each other. */
function shiftOf(route: Route, routes: Route[]): number {
  const same = routes.filter(
    (one) => one.source_bot_id === route.source_bot_id && targetOf(one) === targetOf(route),
  );
  return (same.indexOf(route) - (same.length - 1) / 2) * 26;
}

/** A dropped message ends at a place of its own. */
function targetOf(route: Route): number {
  return route.action === 'drop' ? dropped : route.target_bot_id;
}

function unique(ids: number[]): number[] {
  return [...new Set(ids)];
}
