// The types that the page's scripts share. Those of the API come first.

interface About {
  title: string;
  signature: string;
  citation: string;
  method: string | null;
  dimensions: number;
  words: number;
  counted: boolean;
  axis: string;
  times: string[];
  places: string[];
  levels: number;
  default_time: string | null;
  conditions: Condition[];
  available: Record<string, boolean>;
  missing: Record<string, string>;
  static: boolean;
  precomputed: Record<string, number>;
  exactness: string;
  sample: number | null;
  version: string;
}

interface Condition {
  label: string;
  time: number | null;
  place: number | null;
  words: number;
  tokens: number;
}

interface Question {
  name: string;
  group: string;
  summary: string;
  parameters: Parameter[];
  columns: Column[];
  chart: ChartSpec | null;
  available: boolean;
  reason: string | null;
}

interface Parameter {
  name: string;
  help: string;
  type: "str" | "int" | "float" | "bool";
  many: boolean;
  required: boolean;
  default: string | number | boolean | null;
  choices: string[] | null;
  complete: "conditions" | "places" | null;
  least: number | null;
  most: number | null;
}

interface Column {
  name: string;
  type: string;
  meaning: string;
}

interface Answer {
  rows: Row[];
  title: string;
  notes: string[];
  facts: Record<string, any>;
  signature: string;
}

interface Lookup {
  query: string;
  total: number;
  matches: FoundWord[];
  did_you_mean: FoundWord[];
}

interface FoundWord {
  word: string;
  count: number;
  conditions: number;
}

interface Window {
  ct: Chronotope;
  /** The engine of a static folder, and what it shares with the page. */
  chronotope: { engine?: any; AnswerError?: any; [name: string]: any };
}

declare var ct: Chronotope;

type Row = Record<string, any>;
type Attributes = Record<string, any> | null;
type Params = Record<string, any>;

/** A question on its way: what was asked, and the promise of its answer. */
interface Asked {
  question: string;
  params: Params;
  answer: Promise<Answer>;
}

/** The chart of an answer; see chronotope.analysis.charts. */
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

/** The chosen time and place. */
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

/** The arguments of a chart, which returns sentences about rows that it does not show. */
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

type Draw = (drawing: Drawing) => Lines;
type Lines = (string | null | false | undefined)[];

/** Whether an answer is still wanted when it arrives, and a function that draws frequencies above the slider. */
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
  /** Further arguments of the chart. */
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

/** The functions and data shared by the scripts, by the file that defines them. Times are milliseconds, sizes pixels. */
interface Chronotope {
  // theme.js
  remember: { get(key: string): string | null; set(key: string, value: string): void };
  theme: { apply(): void; toggle(): void };
  // dom.js
  about: About;
  questions: Record<string, Question>;
  views: Record<string, ViewKind>;
  charts: Record<string, Draw>;
  h<T extends keyof HTMLElementTagNameMap>(tag: T, attributes?: Attributes, ...children: any[]): HTMLElementTagNameMap[T];
  s<T extends keyof SVGElementTagNameMap>(tag: T, attributes?: Attributes, ...children: any[]): SVGElementTagNameMap[T];
  set<T extends Element>(element: T, attributes: Attributes): T;
  replace(element: Element, ...children: any[]): void;
  round(value: number): number;
  move(element: any, x: number, y: number): void;
  shape(element: any, d: string): void;
  painted(): Promise<void>;
  // format.js
  known(value: any): boolean;
  format: {
    count(n: number): string;
    number(value: any, digits?: number): string;
    digits(low: number, high: number): number;
    short(value: any): string;
    times(n: number): string;
    many(n: number, what: string): string;
    axes(between: string): string;
    ordinal(n: number): string;
    list(words: string[]): string;
    some(words: string[], most?: number): string;
    word(word: any): string;
    quoted(word: string): string;
    file(...parts: any[]): string;
    clip(text: string, most: number): string;
    in(label: any): string;
    label(label: any): string;
  };
  cell(column: string, value: any): string;
  columnsOf(rows: Row[]): string[];
  csv(rows: Row[]): string;
  // source.js
  LATE: number;
  source: {
    get(name: "about"): Promise<About>;
    get(name: "questions"): Promise<Question[]>;
    get(name: "words", params: Params): Promise<Lookup>;
    get(name: string, params?: Params, signal?: AbortSignal): Promise<Answer>;
    address(name: string, params: Params): string;
    static: boolean;
  };
  ask(question: string, params: Params, signal?: AbortSignal): Asked;
  // keyed.js
  join<T>(parent: Element, items: T[], key: (item: T) => any, create: (item: T) => any, update: (element: any, item: T) => void): void;
  // scales.js
  linear(from: number, to: number, start: number, end: number): (value: number) => number;
  ticks(low: number, high: number, count?: number): number[];
  extent(values: any[], least?: number): number[];
  every(count: number, width: number, wide: number): Set<number>;
  columns(count: number, most: number, keep?: number[]): number[];
  spread(heights: number[], gap: number, low: number, high: number): number[];
  wide(text: any, size?: number): number;
  // address.js
  address: {
    write(view: string, words?: string[], params?: Params): string;
    current(): Address;
    go(view: string, words?: string[], params?: Params): void;
    change(params: Params, replace?: boolean): boolean;
  };
  // marks.js
  tell(mark: Element, lines: Lines): void;
  act(mark: any, action: (() => void) | null): void;
  roving(svg: SVGElement): void;
  settle(svg: SVGElement): void;
  // saving.js
  save: {
    picture(kind: "svg" | "png", svg: SVGSVGElement, text: { title: string; lead: string; notes: string[]; source: string; name: string }): Promise<void>;
    csv(rows: Row[], name: string): void;
    json(data: any, name: string): void;
  };
  cite(what: string): void;
  copyPython(question: string, params: Params): void;
  // panel.js
  panel(options: PanelOptions): Panel;
  sentence(text: string): string;
  newest(element: Element, slow: () => void): (answer: Promise<Answer>, done: (found: Answer) => void, failed: (error: any) => void) => Promise<void>;
  tableOf(rows: Row[], title?: string): HTMLTableElement;
  // charts/common.js and charts/ranked.js
  layers(svg: Element, names: string[]): Record<string, Element>;
  distinct(rows: Row[], column: string): any[];
  labelsOf(rows: Row[], column: string): any[];
  groups(rows: Row[], column: string): Map<any, Row[]>;
  timeline(labels: string[]): string[];
  often(row: Row, chart: ChartSpec): string | null;
  ENOUGH: number;
  isFaint(row: Row, chart: ChartSpec): boolean;
  trust(row: Row, chart: ChartSpec): number;
  faintNote(rows: Row[], chart: ChartSpec): string | false;
  columnName(column: string): string;
  leads(column: string, value: any, state: State, row: Row): { href?: string; act?: () => void };
  conditionLabels(parent: Element, options: { conditions: string[]; name: (label: string) => string; x: (at: number) => number; y: number; right: number; step: number; now: number; choose?: (label: string) => void }): void;
  texts(parent: Element, items: { key: any; text: string; at: number[]; class: string; act?: () => void }[], attributes?: Attributes): void;
  band(parent: Element, box: { x: number; y: number; width: number; height: number } | null): void;
  rankedPlaces: Draw;
  // search.js
  combobox(options: { label: string; placeholder: string; choose: (word: string) => void }): { element: HTMLElement; input: HTMLInputElement };
  wordPicker(options: { title: string; label: string; placeholder: string; go: (words: string[]) => void }): { elements: HTMLElement[]; show(words: string[]): void };
  // where.js
  stateOf(params: Record<string, string>, acts?: boolean): State;
  placeOf(label: string): { at?: string; place?: string };
  nowIn(labels: string[], state: State): number;
  namer(state: State): (label: string) => string;
  where(element: HTMLElement): { show(state: State | null, uses: ViewKind["uses"], rates?: (number | null)[] | null): void };
  // views
  wordLink(word: string, params?: Params): HTMLElement;
  wordPanels: Record<string, PanelOptions>;
  ratesOf(series: Answer, state: State): (number | null)[] | null;
  evidence(word: string, at: string | null, near?: string | null): Asked;
  sentences(options?: { title?: string; choices?: boolean }): { element: HTMLElement; show(word: string, state: State, params: Record<string, string>, neighbors?: string[]): void };
  epigraph(): { element: HTMLElement; show(word: string, state: State): Promise<void>; leave(): void };
}
