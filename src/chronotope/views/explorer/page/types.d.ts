// The types that the page's scripts share. The answers of the API are in answers.d.ts, made by tools/explorer_types.py.

interface Window {
  ct: any;
  chronotope: any;
}

type Row = Record<string, any>;
type Params = Record<string, any>;

/** A question on its way: what was asked, and the promise of its answer. */
interface Asked {
  question: string;
  params: Params;
  answer: Promise<Answer>;
}

/** How an answer is drawn; see chronotope.analysis.charts. */
interface ChartSpec {
  family: "lines" | "ranked" | "tiles" | "plane" | "bump";
  x?: string;
  y?: string;
  color?: string;
  band?: [string, string] | null;
  label?: string;
  value?: string;
  group?: string | null;
  detail?: string[];
  mark?: string | null;
  kind?: string | null;
  faint?: string | null;
  limit?: number;
}

interface Address {
  view: string;
  words: string[];
  params: Record<string, string>;
}

/** What the reader looks at. */
interface State {
  time: number | null;
  at: string | null;
  place: string | null;
  condition: string | null;
  within: string | null;
  /** Whether the time slider acts on the view; if not, no condition stands out in its charts. */
  acts: boolean;
  choose: (label: string) => void;
  choosePlace: (label: string) => void;
}

/** What a chart gets. It returns sentences about what it does not show. */
interface Drawing {
  svg: SVGSVGElement;
  answer: Answer;
  chart: ChartSpec;
  state: State;
  width: number;
  changes?: { label: string; text: string }[];
  colors?: string[];
  keep?: string[];
}

type Draw = (drawing: Drawing) => string[];
type Lines = (string | null | false | undefined)[];

/** Whether an answer still counts when it arrives, and the way to tell the bar above how often the word occurs. */
interface Turn {
  current: () => boolean;
  rates: (rates: (number | null)[] | null) => void;
}

interface View {
  element: HTMLElement;
  show: (address: Address, state: State, turn: Turn) => Promise<void>;
  close?: () => void;
}

interface ViewKind {
  /** Whether the time slider and the place chooser act on this view. */
  uses: { time?: boolean; place?: boolean };
  title: (address: Address) => string;
  create: () => View;
}

interface PanelOptions {
  class?: string;
  /** Heading before there is an answer. */
  plain: string;
  title?: (answer: Answer, state: State) => string;
  lead?: any;
  chart?: ChartSpec | ((answer: Answer, state: State) => ChartSpec);
  /** Sentences in place of the notes of the answer. */
  notes?: (answer: Answer, state: State) => Lines;
  /** Further sentences for the caption. */
  caption?: (answer: Answer, state: State) => Lines;
  empty?: (answer: Answer, state: State) => string | null;
  /** What else the chart needs. */
  extra?: (answer: Answer, state: State) => Partial<Drawing>;
  /** Rows of the table, if they are not those of the answer. */
  remedy?: (error: any, state: State) => Node | null;
}

interface Panel {
  element: HTMLElement;
  header: HTMLElement;
  show: (asked: Asked, state: State) => Promise<void>;
  update: (state: State) => void;
  leave: () => void;
}
