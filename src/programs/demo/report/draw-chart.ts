/** What the chart of a receipt shows: a column for each line, by seconds since the load began; undefined points are gaps. */
export interface ChartData {
  readonly columns: readonly [
    seconds: readonly number[],
    median: readonly (number | null)[],
    longestStaying: readonly (number | null)[],
    longest: readonly (number | null)[],
    failed: readonly (number | null)[],
  ];
  /** When a reconnect was. */
  readonly reconnects: readonly number[];
  readonly marks: readonly { readonly seconds: number; readonly kind: "stage" | "move"; readonly text: string }[];
}

/** What is used of a canvas. */
interface Pen {
  strokeStyle: string;
  fillStyle: string;
  lineWidth: number;
  textAlign: string;
  save(): void;
  restore(): void;
  setLineDash(lengths: readonly number[]): void;
  beginPath(): void;
  moveTo(x: number, y: number): void;
  lineTo(x: number, y: number): void;
  stroke(): void;
  fillText(text: string, x: number, y: number): void;
}

/** What is used of uPlot, in a browser. */
interface Plot {
  readonly ctx: Pen;
  readonly bbox: { readonly left: number; readonly top: number; readonly width: number; readonly height: number };
  valToPos(value: number, scale: string, isCanvas: boolean): number;
  setSize(size: { readonly width: number; readonly height: number }): void;
}
type PlotMaker = new (options: object, columns: ChartData["columns"], place: ChartPlace) => Plot;

interface ChartPlace {
  readonly clientWidth: number;
}

/** What is used of the window of a browser. */
interface ChartWindow {
  getComputedStyle(place: ChartPlace): { readonly color: string };
  addEventListener(event: "resize", listener: () => void): void;
}

/** Draws the chart in a browser, and anew when its window gets another size. */
function drawChart(uPlot: PlotMaker, place: ChartPlace, data: ChartData, window: ChartWindow): void {
  const colour = window.getComputedStyle(place).color;
  const size = (): { width: number; height: number } => ({ width: place.clientWidth, height: 320 });
  const plot = new uPlot({ ...size(), ...chartOptions(data, colour) }, data.columns, place);
  window.addEventListener("resize", () => plot.setSize(size()));
}

function chartOptions(data: ChartData, colour: string): object {
  const line = (label: string, stroke: string): object => {
    return { label, stroke, width: 1.5, points: { show: false }, spanGaps: true };
  };
  const dots = (label: string, stroke: string, size: number): object => {
    return { label, stroke, paths: () => null, points: { show: true, size, fill: stroke } };
  };
  const axis = { stroke: colour, grid: { stroke: "#8883" }, ticks: { stroke: "#8883" } };
  return {
    scales: { x: { time: false }, y: { distr: 3 } },
    axes: [
      { ...axis, label: "seconds" },
      { ...axis, label: "milliseconds" },
    ],
    series: [
      { label: "second" },
      line("median", "#1a73e8"),
      line("longest without a reconnect", "#e8710a"),
      dots("longest with one", "#8e24aa", 6),
      dots("with failed requests", "#d93025", 8),
    ],
    hooks: { drawAxes: [(plot: Plot) => drawMarks(plot, data, colour)] },
  };
}

function drawMarks(plot: Plot, data: ChartData, colour: string): void {
  const { ctx, bbox } = plot;
  ctx.save();
  ctx.lineWidth = 1;
  ctx.textAlign = "left";
  ctx.fillStyle = colour;
  for (const seconds of data.reconnects) drawUpright(plot, seconds, 0.97, "#8e24aa");
  let stages = 0;
  for (const { seconds, kind, text } of data.marks) {
    ctx.setLineDash(kind === "stage" ? [6, 4] : []);
    const x = drawUpright(plot, seconds, 0, kind === "stage" ? colour : "#d93025");
    // names of short stages stand below one another
    if (kind === "stage") ctx.fillText(text, x + 4, bbox.top + 12 * (1 + (stages++ % 2)));
  }
  ctx.restore();
}

/** From that part of the height, counted from above, to the bottom; the place from the left is returned. */
function drawUpright(plot: Plot, seconds: number, from: number, stroke: string): number {
  const { ctx, bbox } = plot;
  const x = plot.valToPos(seconds, "x", true);
  ctx.strokeStyle = stroke;
  ctx.beginPath();
  ctx.moveTo(x, bbox.top + bbox.height * from);
  ctx.lineTo(x, bbox.top + bbox.height);
  ctx.stroke();
  return x;
}

/** The functions above as a browser reads them; they may use nothing but each other and what they are given. */
export const CHART_SCRIPT = [drawUpright, drawMarks, chartOptions, drawChart].map(String).join("\n");
